import { ValidationError } from '@daybook/memory/errors'
import { checkFilter, type MemoryFilter } from '@daybook/memory/filter'
import { checkLimit, checkRanking, LIMIT_MAX } from '@daybook/search/check-request'
import type { PastWanted } from '@daybook/search/past/past-texts'
import { mergeAnswers, type ProjectSearch, searchProjects } from '@daybook/search/projects/search-projects'
import { search } from '@daybook/search/search'
import type { SearchAnswer, SearchHit, SearchMode, SearchRequest } from '@daybook/search/search-request'
import { withoutUnlikely } from '@daybook/search/unlikely'
import type { Context } from '../../context.ts'
import { countAccess } from '../../count-access.ts'
import { AS_OF, pastMoment, readAtLeast, waitAtLeast } from '../../find-memories.ts'
import { embedEarly, searchContextOf } from '../../open-search-engines.ts'
import { parkedEventsUpTo } from '../../parked-events.ts'
import { builder, selects } from '../builder.ts'
import { AT_LEAST_HASH, listCost, PROJECTS_MAX, SEARCH_COST } from '../limits.ts'
import { readableProject } from '../resolve-in-project.ts'
import { memoryFilter } from '../types/memory-filter.ts'
import {
  rankingMethod,
  rankingWeights,
  type SearchedAnswer,
  type SearchedProject,
  searchEngine,
  searchMode,
  searchResult,
} from '../types/search-result.ts'

/** Which texts a search looks at; null for the present ones. @throws ValidationError for both at once */
async function pastWanted(
  context: Context,
  { asOf, acrossVersions }: { asOf?: string | null | undefined; acrossVersions?: boolean | null | undefined },
): Promise<PastWanted | null> {
  if (acrossVersions !== true) return pastMoment(context, asOf)
  if (asOf != null)
    throw new ValidationError(
      'acrossVersions',
      'cannot be combined with asOf: leave out asOf to search all versions, or acrossVersions to search those of that moment',
    )
  return 'EVER'
}

/** The arguments of a search, in any project. */
interface SearchArguments {
  readonly query: string
  readonly filter: MemoryFilter
  readonly ranking: SearchRequest['ranking']
  readonly limit: number
  readonly mode?: SearchRequest['mode'] | null | undefined
  readonly engine?: SearchRequest['engine'] | null | undefined
  readonly minScore?: number | null | undefined
  readonly floor?: boolean | null | undefined
  readonly atLeast?: number | null | undefined
  readonly atLeastHash?: string | null | undefined
  readonly asOf?: string | null | undefined
  readonly acrossVersions?: boolean | null | undefined
}

const modeOf = ({ mode }: SearchArguments): SearchMode => mode ?? 'HYBRID'

/** A search that may start: its project is as far as was asked for, or `behind` says that it is not. */
interface StartedSearch extends ProjectSearch {
  readonly behind: string | null
  /** The sequence that the answer should include. */
  readonly until: number | null
}

async function begin(
  context: Context,
  asked: SearchArguments,
  notReached: string | null,
): Promise<StartedSearch> {
  const past = await pastWanted(context, asked)
  const moment = past === null || past === 'EVER' ? null : past.sequence
  const behind = notReached ?? (await waitAtLeast(context, moment, null))
  const { query, filter, ranking, limit } = asked
  const request: SearchRequest = {
    query,
    filter,
    mode: modeOf(asked),
    engine: asked.engine ?? 'AUTO',
    atLeast: asked.atLeast ?? 0,
    ...(ranking !== undefined && { ranking }),
    limit,
    minScore: asked.minScore ?? undefined,
    floor: asked.floor ?? true,
    past: past ?? undefined,
  }
  return { parts: await searchContextOf(context), request, behind, until: moment ?? asked.atLeast ?? null }
}

/** Adds to an answer what it lacks. */
async function finish(
  context: Context,
  { behind, until }: StartedSearch,
  answer: SearchAnswer,
): Promise<SearchAnswer> {
  const parked = await parkedEventsUpTo(context, until, answer.engine)
  const missing = [...(behind === null ? [] : [behind]), ...parked]
  return { ...answer, degraded: [...missing, ...answer.degraded] }
}

/** The projects that a request names, each once, with their contexts. @throws ValidationError, NotFoundError */
async function searchedProjects(
  context: Context,
  named: readonly string[],
): Promise<readonly { readonly context: Context; readonly name: string }[]> {
  const { access, parts } = context
  if (named.length < 1 || named.length > PROJECTS_MAX)
    throw new ValidationError('projects', `must name 1 to ${PROJECTS_MAX} projects`)
  const found = new Map<string, string>()
  for (const nameOrId of named) {
    const { id, name } = await readableProject(context, nameOrId)
    found.set(id, name)
  }
  // The request's own project was counted when the request came.
  for (const id of found.keys()) if (id !== access.projectId) await parts.limits.request(id)
  return [...found].map(([id, name]) => ({ context: context.inProject(id), name }))
}

/** What is shown of an answer that counts more hits. */
const cutTo = <Answer extends SearchAnswer>(
  answer: Answer,
  { minScore, floor }: Pick<SearchArguments, 'minScore' | 'floor'>,
  limit: number,
): Answer => withoutUnlikely(answer, { limit, minScore: minScore ?? undefined, floor: floor ?? true })

/** One answer from those of several projects. Each hit is resolved in its own one. */
function present(
  context: Context,
  answers: readonly SearchedProject[],
  asked: SearchArguments,
  limit: number,
): SearchedAnswer {
  const all = mergeAnswers(answers, asked.limit)
  const merged = cutTo({ ...all, hits: all.hits.slice(0, limit) }, asked, limit)
  const { hits } = merged
  const projectNames = new Map<SearchHit, string>()
  for (const { context: own, name, answer } of answers) {
    const here = hits.filter((hit) => answer.hits.includes(hit))
    for (const hit of here) {
      context.ofHits.set(hit, own)
      projectNames.set(hit, name)
    }
    countAccess(own, { ...answer, hits: here })
  }
  return { ...merged, counted: all.hits, projectNames, searched: answers }
}

builder.queryField('search', (t) =>
  t.field({
    type: searchResult,
    complexity: ({ limit, projects }) => listCost(limit, SEARCH_COST * Math.max(1, projects?.length ?? 1)),
    description:
      'Finds memories by words and by meaning. A query may hold words, "a phrase", -without or NOT without, a AND b (both are required), OR, and parentheses. Operators are upper case. A query that is the name of a kind ("todo", "open todos", "decisions") finds the memories of that kind first.',
    args: {
      query: t.arg.string({ required: true }),
      projects: t.arg.stringList({
        description: `Searches these projects, by name or id, instead of the one of the request; at most ${PROJECTS_MAX}, each of which the key may use. Each is searched by itself, and the best hits of all are the answer, by score; every hit says its project. Not together with \`atLeast\`, unless it is one project.`,
      }),
      filter: t.arg({ type: memoryFilter }),
      mode: t.arg({ type: searchMode, defaultValue: 'HYBRID' }),
      engine: t.arg({ type: searchEngine, defaultValue: 'AUTO' }),
      ranking: t.arg({ type: rankingMethod, defaultValue: 'DEFAULT' }),
      weights: t.arg({
        type: rankingWeights,
        description: 'Weights of the ranking DEFAULT.',
      }),
      limit: t.arg.int({ defaultValue: 10, description: '1 to 100.' }),
      minScore: t.arg.float({
        description:
          'Leaves out hits with a lower score, 0 to 1, and takes the place of `floor`. Where tokens are compared a score is a probability: 0.05 leaves out nearly all that answers nothing, in a project with a few dozen memories also some that does.',
      }),
      floor: t.arg.boolean({
        defaultValue: true,
        description:
          'Whether the answer is empty, with a hint, where nothing seems to be about the query: the best score is below 0.01 among 100 memories or more, or below 0.05 if the query names somebody of whom no memory says a word; or no memory has a word of it, and the nearest is far in meaning. Measured for MiniLM; other models and KEYWORD have no floor. Also whether hits with less than a tenth of the best score are left out, where at most ten are asked for.',
      }),
      atLeast: t.arg.int({
        description:
          'Waits at most 5 s until this sequence is searchable. `degraded` says if it is not, or if an event up to it is parked.',
      }),
      atLeastHash: t.arg.string({ description: AT_LEAST_HASH }),
      acrossVersions: t.arg.boolean({
        defaultValue: false,
        description:
          'Looks at every text that a memory ever had. A hit is a version, with the memory as it was then; of one memory several may be found, but of versions with the same text only the last one that matches. Postgres answers. Not together with `asOf`.',
      }),
      asOf: t.arg({
        type: 'DateTime',
        description: `${AS_OF} Each hit is the memory as it was then. Postgres answers.`,
      }),
    },
    resolve: async (_, args, context, info) => {
      const limit = checkLimit(args.limit ?? 10)
      const asked: SearchArguments = {
        ...args,
        limit: selects(info, 'facets') ? LIMIT_MAX : limit,
        ranking: checkRanking(args.ranking ?? 'DEFAULT', args.weights),
        filter: checkFilter(args.filter),
      }
      if (args.projects == null) {
        const question = embedEarly(context, asked.query, modeOf(asked))
        const answer = await readAtLeast(context, asked, async (behind) => {
          const begun = await begin(context, asked, behind)
          return finish(context, begun, await search(begun.parts, begun.request, question))
        })
        const shown = { ...answer, hits: answer.hits.slice(0, limit), counted: answer.hits }
        return countAccess(context, cutTo(shown, args, limit))
      }
      const projects = await searchedProjects(context, args.projects)
      if (projects.length > 1 && args.atLeast != null)
        throw new ValidationError(
          'atLeast',
          'is a place in the journal of one project: leave it out, or search that project alone',
        )
      const answers = await readAtLeast(projects[0]?.context ?? context, asked, async (behind) => {
        const begun: StartedSearch[] = []
        for (const project of projects) begun.push(await begin(project.context, asked, behind))
        const found = await searchProjects(begun)
        const finished: SearchedProject[] = []
        for (const [at, { context: own, name }] of projects.entries()) {
          const answer = await finish(own, begun[at] as StartedSearch, found[at] as SearchAnswer)
          finished.push({ context: own, name, answer })
        }
        return finished
      })
      return present(context, answers, asked, limit)
    },
  }),
)
