import { ENGINES } from '@daybook/engines/engines'
import { countFacets } from '@daybook/memory/facets'
import { engineName, POSTGRES } from '@daybook/search/engine/engine-name'
import type { HitExplanation } from '@daybook/search/ranking/explanation'
import type { ScoreTerm, TermName } from '@daybook/search/ranking/late/terms'
import type { PriorContribution } from '@daybook/search/ranking/options'
import type { RetrieverName } from '@daybook/search/ranking/retriever'
import { renderAnswer } from '@daybook/search/render-answer'
import type { Explanation, MatchType, SearchAnswer, SearchHit } from '@daybook/search/search-request'
import type { Context } from '../../context.ts'
import { builder } from '../builder.ts'
import { PROJECTS_MAX } from '../limits.ts'
import { enumOfWords } from './enum-of-words.ts'
import { checkFacetValues, FACET_VALUES, facets } from './facets.ts'
import { memoryInterface, trustOfMemory } from './memory.ts'
import { project } from './project.ts'
import { trustLevel } from './writer.ts'

/** The enum of search modes. */
export const searchMode = builder.enumType('SearchMode', {
  values: ['HYBRID', 'SEMANTIC', 'KEYWORD'] as const,
})

/** The enum of engines that a search may name. */
export const searchEngine = builder.enumType('SearchEngine', {
  description:
    'Where a search runs. AUTO takes the first engine beside Postgres that is configured, answers and is up to date; else Postgres.',
  values: [
    'AUTO',
    POSTGRES,
    ...ENGINES.filter(({ openSearch }) => openSearch !== undefined).map(({ name }) => engineName(name)),
  ] as const,
})

/** The enum of rankings. */
export const rankingMethod = builder.enumType('RankingMethod', {
  description:
    "How hits are ordered. DEFAULT compares the tokens of the question with those of the memories; where an index has no token bits, it adds the retrievers' scores and those of neighbouring memories. RRF is reciprocal rank fusion, Σ weight × 61 / (60 + rank) over the retrievers, so that the first of all scores 1 (Cormack, Clarke and Büttcher, 2009).",
  values: ['DEFAULT', 'RRF'] as const,
})

const matchType = enumOfWords<MatchType>('MatchType', {
  EXACT: 'By its key.',
  HYBRID: 'By words and by meaning.',
  SEMANTIC: 'By meaning.',
  KEYWORD: 'By words.',
  CONTEXT: 'By neither: only because of the memories beside it in its context. Never with the mode KEYWORD.',
  KIND: 'The query is the name of its kind, such as "open todos". Newest first, with a score of 1.',
})

const retriever = enumOfWords<RetrieverName>('Retriever', {
  lexical: 'By words.',
  vector: 'By meaning.',
})

const retrieverContribution = builder.objectRef<HitExplanation['retrievers'][number]>('RetrieverContribution')

builder.objectType(retrieverContribution, {
  description: 'The score that one retriever gave a hit. contribution = weight × normalisedScore.',
  fields: (t) => ({
    retriever: t.field({ type: retriever, resolve: (one) => one.retriever }),
    rank: t.exposeInt('rank'),
    rawScore: t.exposeFloat('rawScore', { description: 'BM25 times coverage, or the cosine similarity.' }),
    normalisedScore: t.exposeFloat('normalisedScore'),
    weight: t.exposeFloat('weight'),
    contribution: t.exposeFloat('contribution'),
  }),
})

const neighbourContribution = builder.objectRef<HitExplanation['neighbours'][number]>('NeighbourContribution')

builder.objectType(neighbourContribution, {
  description: 'The score that a memory before or after in the same context added.',
  fields: (t) => ({
    memoryId: t.id({ resolve: ({ memoryId }) => memoryId, description: 'Its plain id.' }),
    distance: t.exposeInt('distance'),
    contribution: t.exposeFloat('contribution'),
  }),
})

const priorName = enumOfWords<PriorContribution['name']>('PriorName', {
  decay: 'When it was last read, found or changed: −1 long ago, 0 just now.',
  importance: 'Its importance: −1 for 0, 0 for 5, 1 for 10.',
  recency: 'When it happened, else was remembered: −1 long ago, 0 just now.',
  succession: 'A memory of the same thing is newer, or older: what that moved the score by.',
})

const priorContribution = builder.objectRef<PriorContribution>('PriorContribution').implement({
  description:
    'What is known of a memory before any question, added to the log-odds of the score that the rest makes. contribution = weight × value.',
  fields: (t) => ({
    name: t.field({ type: priorName, resolve: ({ name }) => name }),
    value: t.exposeFloat('value'),
    weight: t.exposeFloat('weight'),
    contribution: t.exposeFloat('contribution'),
  }),
})

const sessionContribution = builder.objectRef<NonNullable<HitExplanation['session']>>('SessionContribution')

builder.objectType(sessionContribution, {
  description: 'The score that the best hit of the same context added.',
  fields: (t) => ({
    memoryId: t.id({
      resolve: ({ memoryId }) => memoryId,
      description: 'Its plain id; the hit’s own id if it is the best, or has no context.',
    }),
    contribution: t.exposeFloat('contribution'),
  }),
})

const explanation = builder.objectRef<Explanation>('Explanation')

builder.objectType(explanation, {
  description:
    'How a score came about. With terms: score = 1 / (1 + e^−(sum of the terms’ contributions)). Without: score = scale × (ownScore + neighbours + missingNeighbours + session). Priors move the log-odds of that score.',
  fields: (t) => ({
    method: t.field({ type: rankingMethod, resolve: ({ method }) => method }),
    retrievers: t.field({
      type: [retrieverContribution],
      complexity: { multiplier: 2 },
      resolve: ({ retrievers }) => [...retrievers],
    }),
    terms: t.field({
      type: [scoreTerm],
      complexity: { multiplier: 8 },
      resolve: ({ terms }) => [...terms],
      description: 'Empty where no tokens were compared.',
    }),
    priors: t.field({
      type: [priorContribution],
      complexity: { multiplier: 3 },
      resolve: ({ priors }) => [...priors],
      description:
        'Decay, importance and recency only where the search gives them a weight; succession where another hit is about the same thing.',
    }),
    neighbours: t.field({
      type: [neighbourContribution],
      complexity: { multiplier: 4 },
      resolve: ({ neighbours }) => [...neighbours],
    }),
    missingNeighbours: t.exposeFloat('missingNeighbours', {
      description: 'The score that stands in for neighbours that do not exist.',
    }),
    session: t.field({
      type: sessionContribution,
      nullable: true,
      resolve: ({ session }) => session,
      description: 'Null where terms are given, with RRF, and for a memory that was found by its key.',
    }),
    ownScore: t.exposeFloat('ownScore'),
    scale: t.exposeFloat('scale'),
    score: t.exposeFloat('score'),
    generation: t.exposeInt('generation', { description: "The projection's generation that was searched." }),
    model: t.exposeString('modelId', {
      nullable: true,
      description: 'The embedding model; null where no vectors were compared.',
    }),
  }),
})

/** The type `SearchHit`. */
export const searchHit = builder.objectRef<SearchHit>('SearchHit')

builder.objectType(searchHit, {
  fields: (t) => ({
    memory: t.field({ type: memoryInterface, resolve: ({ memory }) => memory }),
    score: t.exposeFloat('score', {
      description:
        '0 to 1. Where tokens were compared, the probability that the hit is relevant, comparable between queries and projects; else only within one answer, and between projects roughly. A memory that another hit supersedes has at most the score of that one; the newest of the same thing has the best score of them.',
    }),
    sameText: t.idList({
      description:
        'Other memories that were found and have the same text, by their ids without the kind. They are no hits of their own.',
      resolve: ({ sameText = [] }) => sameText,
    }),
    seemsSupersededBy: t.id({
      nullable: true,
      description:
        'The newer memory of the same thing by which this one seems superseded, by its id without the kind: in one context, a decision on the same topic, or a memory of the same kind that is much alike. Nothing is settled by that.',
      resolve: (hit) => hit.seemsSupersededBy ?? null,
    }),
    matchType: t.field({ type: matchType, resolve: (hit) => hit.matchType }),
    snippet: t.exposeString('snippet', {
      description: 'About 150 characters of HTML: matches stand in <mark>, everything else is escaped.',
    }),
    version: t.int({ resolve: ({ memory }) => memory.version, description: 'The version that matched.' }),
    trust: t.field({
      type: trustLevel,
      resolve: ({ memory }, _, context) => trustOfMemory(context, memory.state),
      description: 'How far the memory is trusted now, as in `Memory.trust`.',
    }),
    project: t.field({
      type: project,
      resolve: (_, __, context) => context.projectEntry(),
      description: 'The project that the memory is in.',
    }),
    explanation: t.field({ type: explanation, resolve: (hit) => hit.explanation }),
  }),
})

/** How one of several projects was searched. */
export interface SearchedProject {
  readonly context: Context
  readonly name: string
  readonly answer: SearchAnswer
}

/** An answer, and where several projects were searched what each of them gave. */
export interface SearchedAnswer extends SearchAnswer {
  readonly searched?: readonly SearchedProject[]
}

const searchedProject = builder.objectRef<SearchedProject & { readonly shown: SearchAnswer }>(
  'SearchedProject',
)

builder.objectType(searchedProject, {
  description: 'How a project was searched.',
  fields: (t) => ({
    project: t.field({ type: project, resolve: ({ context }) => context.projectEntry() }),
    hits: t.int({
      resolve: ({ answer, shown }) => shown.hits.filter((hit) => answer.hits.includes(hit)).length,
      description: 'How many of the hits are in it.',
    }),
    engine: t.field({ type: searchEngine, resolve: ({ answer }) => answer.engine }),
    sequence: t.int({
      resolve: ({ answer }) => answer.sequence,
      description: 'The last sequence of its journal that the answer includes.',
    }),
    degraded: t.stringList({ resolve: ({ answer }) => [...answer.degraded] }),
  }),
})

/** The type `SearchResult`. */
export const searchResult = builder.objectRef<SearchedAnswer>('SearchResult')

builder.objectType(searchResult, {
  fields: (t) => ({
    hits: t.field({ type: [searchHit], resolve: ({ hits }) => [...hits] }),
    matchType: t.field({ type: matchType, nullable: true, resolve: (answer) => answer.matchType }),
    engine: t.field({
      type: searchEngine,
      resolve: ({ engine }) => engine,
      description: 'The engine that answered. Of several projects: POSTGRES unless it was the same for all.',
    }),
    degraded: t.stringList({
      resolve: ({ degraded }) => [...degraded],
      description: 'What the answer lacks, in sentences.',
    }),
    message: t.exposeString('message', {
      nullable: true,
      description: 'A hint if nothing was found; else what was left out.',
    }),
    text: t.string({
      resolve: async (answer, _, context) => {
        const low = new Set<SearchHit>()
        const unshared = new Set<SearchHit>()
        await Promise.all(
          answer.hits.map(async (hit) => {
            const of = context.ofHits.get(hit) ?? context
            if ((await trustOfMemory(of, hit.memory.state)) === 'low') low.add(hit)
            if (!(await of.isShared(hit.memory))) unshared.add(hit)
          }),
        )
        return renderAnswer(answer, Date.now(), {
          isLowTrust: (hit) => low.has(hit),
          isShared: (hit) => !unshared.has(hit),
        })
      },
      description:
        'The answer as plain text for an agent: what it lacks, then numbered hits: [KIND] title (score) age [labels, context, metadata], the snippet, and the id. What a memory says stays in its line.',
    }),
    facets: t.field({
      type: facets,
      complexity: { field: 10 },
      args: {
        values: t.arg.int({ defaultValue: FACET_VALUES, description: 'The most values listed per facet.' }),
      },
      description:
        'Counts of labels, kinds and so on over the 100 best hits, whatever the limit is. So each count can be seen with the filter that it names. Of `recall` and `pop`: over the hits.',
      resolve: ({ hits, counted }, { values }) =>
        countFacets(
          (counted ?? hits).map(({ memory }) => memory.state),
          checkFacetValues(values),
        ),
    }),
    sequence: t.exposeInt('sequence', {
      description:
        'The last sequence that the answer includes. Each project counts its own: of several, `searched` has them, and this is the least.',
    }),
    searched: t.field({
      type: [searchedProject],
      complexity: { multiplier: PROJECTS_MAX },
      description:
        'The projects that were searched: those of the argument `projects`, else the one of the request.',
      resolve: (answer, _, context) =>
        (answer.searched ?? [{ context, name: '', answer }]).map((one) => ({ ...one, shown: answer })),
    }),
  }),
})

/** The input with the weights of a ranking. */
export const rankingWeights = builder.inputType('RankingWeights', {
  description:
    'Weights of the ranking DEFAULT. Omitted ones have their default. `lexical`, `vector`, `neighbour` and `session`, each from 0 to 1, belong to the ranking without token bits: one of them leaves the token bits out. `decay`, `importance` and `recency`, each from 0 to 10, count in both.',
  fields: (t) => ({
    lexical: t.float({
      description:
        'Weight of words. Default 0.6. Only its ratio to `vector` matters; one of the two must be above 0.',
    }),
    vector: t.float({ description: 'Weight of meaning. Default 0.4.' }),
    neighbour: t.float({
      description:
        'Weight of the memories directly before and after in the same context; those one step further have this weight squared. Default 0.4. 0.5 suits dialogue; 0 ignores neighbours.',
    }),
    session: t.float({
      description: 'Weight of the best hit of a context for all hits in that context. Default 0.2.',
    }),
    decay: t.float({
      description:
        'How much it counts when a memory was last read, found or changed. With 1 the odds of one that was not used for a long time are e times lower than those of one used just now; half of that after the half-life (DAYBOOK_HALF_LIFE). Default 0.',
    }),
    importance: t.float({
      description:
        'How much its importance counts. With 1 the odds of 10 are e times higher, those of 0 e times lower than those of 5. Default 0.',
    }),
    recency: t.float({
      description: 'The same as `decay` for when it happened, else was remembered. Default 0.',
    }),
  }),
})

const MEANINGS: Readonly<Record<TermName, string>> = {
  base: 'The same for every hit.',
  pool: 'The logarithm of how many memories could have become hits: the more, the likelier a match is an accident.',
  own: "How well the memory's own tokens match those of the question.",
  near: 'How well it matches together with the memories before and after it in its context.',
  session: 'The best such match in its context.',
  words: 'Exact words: the BM25 score as a share of what all words of the question could score.',
  vector: 'The cosine of the vectors; the lowest that was found if it was not among the nearest.',
  speaker: '1 if a person named in the question speaks.',
  time: 'How near it is to a time that the question names: 1 within it, fading by days.',
  length: 'Doublings of its length beyond 64 tokens.',
}

const termName = enumOfWords('ScoreTermName', MEANINGS)

/** The type `ScoreTerm`. */
const scoreTerm = builder.objectRef<ScoreTerm>('ScoreTerm').implement({
  description: 'A part of a score, in log-odds. contribution = weight × value.',
  fields: (t) => ({
    name: t.field({ type: termName, resolve: ({ name }) => name }),
    value: t.exposeFloat('value'),
    weight: t.exposeFloat('weight'),
    contribution: t.exposeFloat('contribution'),
  }),
})
