import { graphql, type ResultOf } from '@daybook/api/graphql'
import { EXPLANATION, type Explanation, MEMORY, type NO_CONTENT } from '@daybook/client/documents/memory'
import { hitLines, type ShownHit } from '@daybook/memory/hit-lines'
import { safeLine } from '@daybook/memory/safe-text'
import type { Neighbours } from '../client/read-history.ts'
import { renderSnippet } from './memory.ts'
import { type Painter, shorten, spoken } from './print.ts'
import { outputColumns } from './table.ts'

const rounded = (score: number) => score.toFixed(3)

/** A hit for people, as `hitLines` shows it, with what its score rests on if that was asked for. @param withVersion says which version was found */
export function renderHit(
  place: number,
  { memory, score, snippet, version, explanation, project, sameText, seemsSupersededBy }: SearchHit,
  paint: Painter,
  now: number,
  withVersion = false,
): string {
  const shown: ShownHit = {
    id: memory.id,
    kind: memory.kind,
    title: memory.title,
    score,
    at: memory.occurredAt ?? memory.createdAt,
    labels: memory.labels,
    context: memory.context,
    forgotten: memory.forgottenAt !== null,
    lowTrust: memory.trust === 'LOW',
    unshared: !memory.shared,
    ...(memory.supersededBy != null && { supersededBy: memory.supersededBy.id }),
    ...(seemsSupersededBy != null && { seemsSupersededBy }),
    sameText: sameText.length,
    version: withVersion ? version : null,
    project: project?.name ?? null,
    content: shortFields(memory),
    metadata: memory.metadata as Readonly<Record<string, unknown>>,
    snippet: renderSnippet(snippet, paint),
  }
  const indent = ' '.repeat(`${place}. `.length)
  const why = explanation === undefined ? [] : renderExplanation(explanation, score)
  return [...hitLines(place, shown, now, paint), ...why.map((line) => indent + line)].join('\n')
}

/** The kind's own fields that the search asks for. Enum values are told as words. */
function shortFields(memory: SearchHit['memory']): Readonly<Record<string, unknown>> {
  if ('severity' in memory) return { severity: memory.severity }
  if ('status' in memory) return { status: memory.status?.toLowerCase() }
  return 'type' in memory ? { type: memory.type } : {}
}

function renderExplanation(explanation: Explanation, score: number): string[] {
  const { method, retrievers, neighbours, session, scale, ownScore, missingNeighbours, generation, model } =
    explanation
  const made = `  generation ${generation}, ${model === null ? 'no vectors compared' : `model ${safeLine(model)}`}`
  const { priors } = explanation
  if (explanation.terms.length > 0) return [...renderTerms([...explanation.terms, ...priors], score), made]
  const near = neighbours.reduce((sum, { contribution }) => sum + contribution, 0)
  const before = priors.length > 0 ? ', moved by its priors' : ''
  return [
    `why: ${rounded(score)} = ${rounded(scale)} × (own ${rounded(ownScore)} + neighbours ${rounded(near + missingNeighbours)} + session ${rounded(session?.contribution ?? 0)}), by ${safeLine(method)}${before}`,
    ...retrievers.map(
      ({ retriever, rank, rawScore, normalisedScore, weight, contribution }) =>
        `  ${spoken(retriever)}: rank ${rank}, raw ${rounded(rawScore)}, ${rounded(weight)} × ${rounded(normalisedScore)} = ${rounded(contribution)}`,
    ),
    ...priors.map((prior) => `${renderTerm(prior)}, in log-odds`),
    made,
  ]
}

type Term = Explanation['terms'][number] | Explanation['priors'][number]

const renderTerm = ({ name, value, weight, contribution }: Term): string =>
  `  ${spoken(name)}: ${rounded(value)} × ${rounded(weight)} = ${rounded(contribution)}`

/** The terms of late interaction, which add up to the score's log-odds. Those that count nothing are left out. */
function renderTerms(terms: readonly Term[], score: number): string[] {
  const logOdds = terms.reduce((sum, { contribution }) => sum + contribution, 0)
  return [
    `why: ${rounded(score)} = 1 / (1 + e^−x), x = ${rounded(logOdds)}, the sum of`,
    ...terms.filter(({ contribution }) => contribution !== 0).map(renderTerm),
  ]
}

/** What was remembered before and after a memory in its context, in the order of the journal. */
export function renderNeighbours({ before, after }: Neighbours): string {
  if (before.length + after.length === 0) return 'Nothing stands beside it in its context.'
  return [
    ...(before.length === 0 ? [] : ['Before it:', ...before.toReversed().map(line)]),
    ...(after.length === 0 ? [] : ['After it:', ...after.map(line)]),
  ].join('\n')
}

const line = ({ id, title }: Neighbours['before'][number]): string =>
  `  ${safeLine(id)}  ${shorten(safeLine(title), outputColumns())}`

/** The short fields that some kinds have, and what supersedes it, shown beside a hit's title. */
const SHORT_FIELDS = graphql(`
  fragment ShortFields on Memory { ... on Learning { severity } ... on Session { status } ... on Entity { type } supersededBy { id } }`)

/** The search query. @param content `memoryContent()`, or `NO_CONTENT` */
export const searchDocument = (content: typeof NO_CONTENT) =>
  graphql(
    `query Search(
      $query: String!, $filter: MemoryFilter, $mode: SearchMode, $limit: Int, $minScore: Float, $atLeast: Int,
      $floor: Boolean, $weights: RankingWeights,
      $acrossVersions: Boolean, $asOf: DateTime, $projects: [String!], $explain: Boolean!, $severalProjects: Boolean!
    ) {
      search(
        query: $query, filter: $filter, mode: $mode, limit: $limit, minScore: $minScore, atLeast: $atLeast,
        floor: $floor, weights: $weights,
        acrossVersions: $acrossVersions, asOf: $asOf, projects: $projects
      ) {
        hits {
          sameText seemsSupersededBy score matchType snippet version
          memory { ...Memory ...MemoryContent ...ShortFields }
          explanation @include(if: $explain) { ...Explanation }
          project @include(if: $severalProjects) { id name }
        }
        searched @include(if: $severalProjects) { project { id name } hits engine sequence }
        matchType engine degraded message sequence
      }
    }`,
    [MEMORY, content, SHORT_FIELDS, EXPLANATION],
  )

/** What a search in its own words gives, for `showFound`. @param content as for `searchDocument` */
export const foundFragment = (content: typeof NO_CONTENT) =>
  graphql(
    `fragment Found on SearchResult {
      hits { score matchType snippet version sameText seemsSupersededBy memory { ...Memory ...MemoryContent ...ShortFields } }
      matchType engine degraded message sequence
    }`,
    [MEMORY, content, SHORT_FIELDS],
  )

type SearchedHit = ResultOf<ReturnType<typeof searchDocument>>['search']['hits'][number]

/** A memory that a search found; with the explanation of its score and its project if these were asked for. */
export type SearchHit = Omit<SearchedHit, 'explanation' | 'project'> &
  Partial<Pick<SearchedHit, 'explanation' | 'project'>>
