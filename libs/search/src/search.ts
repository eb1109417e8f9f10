import type { Embedder } from '@daybook/embeddings/embedder'
import { embeddedTextOf, type MemoryState, textOf } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { LiveReadModel } from '@daybook/read-model/live-read-model'
import { readMemories } from '@daybook/read-model/read-memories'
import { checkLimit, checkQuery } from './check-request.ts'
import { hitCondition } from './legs/constraint.ts'
import type { LegInput } from './legs/leg-input.ts'
import { lexicalLeg } from './legs/lexical-leg.ts'
import { findNeighbours, type NeighboursFound } from './legs/neighbours-leg.ts'
import { type VectorHit, vectorLeg } from './legs/vector-leg.ts'
import type { ParsedQuery } from './query/query.ts'
import { type QueryVector, queryVector } from './query-vector.ts'
import type { LegHit } from './ranking/leg.ts'
import { neighboursCount } from './ranking/neighbours.ts'
import { DEFAULT_RANKING, type RankingOptions } from './ranking/options.ts'
import { type RankedHit, rank } from './ranking/rank.ts'
import type { MatchType, SearchAnswer, SearchHit, SearchMode, SearchRequest } from './search-request.ts'
import { readSearchState } from './search-state.ts'
import { snippets } from './snippets.ts'
import { type OnLeg, timed } from './timed.ts'

/** What a search works with. */
export interface SearchParts {
  readonly scope: ProjectScope
  readonly readModel: LiveReadModel
  readonly embedder: Embedder | null
  /** Hears how long each leg took, for the metrics. */
  readonly onLeg?: OnLeg | undefined
}

/**
 * Finds memories: query ──▶ legs (lexical, vector) ──▶ ranking ──▶ hits with snippets.
 * Forgotten and expired memories are left out unless the filter says otherwise.
 * @throws ValidationError for an empty query or a limit out of range
 */
export async function search(parts: SearchParts, request: SearchRequest): Promise<SearchAnswer> {
  const query = checkQuery('query', request.query)
  const limit = checkLimit(request.limit)
  const options: RankingOptions = { ...DEFAULT_RANKING, ...request.ranking }
  const input: LegInput = {
    ...parts,
    condition: hitCondition(request.filter, query),
    includeForgotten: request.filter.includeForgotten === true,
    limit: options.candidatesPerLeg,
  }

  // The state first: what is posted while the legs run may be in the answer, but is not promised.
  const embedding = wantsVector(request.mode)
    ? timed(parts.onLeg, 'query-embedding', () =>
        queryVector(parts.embedder, parts.readModel.generation, query.wanted),
      )
    : null
  const state = await readSearchState(parts.scope, parts.readModel)
  const legs = await runLegs(input, query, request.mode, embedding)
  const candidates = [...(legs.lexical ?? []), ...(legs.vector ?? [])].map((hit) => hit.memoryId)
  const { neighbourhoods, eligible } = neighboursCount(options)
    ? await findNeighbours(input, [...new Set(candidates)])
    : NO_NEIGHBOURS
  const all = rank({
    ...legs,
    neighbourhoods,
    eligible: (id) => eligible.has(id),
    options,
    limit: Number.POSITIVE_INFINITY,
  })
  const ranked = withoutFar(all, request.leastCosine).slice(0, limit)

  const degraded = [...legs.degraded, ...state.missing(legs.vector !== null)]
  return {
    hits: await present(parts, query, ranked, legs.vector),
    matchType: ranked.length === 0 ? null : matchTypeOf(legs),
    degraded,
    message:
      ranked.length === 0 ? `Nothing matches "${request.query}". Try other words, or fewer filters.` : null,
    sequence: state.position,
  }
}

const NO_NEIGHBOURS: NeighboursFound = { neighbourhoods: new Map(), eligible: new Set() }

function withoutFar(ranked: readonly RankedHit[], leastCosine: number | undefined): readonly RankedHit[] {
  if (leastCosine === undefined) return ranked
  const isNear = ({ explanation: { legs } }: RankedHit) =>
    legs.some(({ leg, rawScore }) => leg === 'lexical' || rawScore >= leastCosine)
  const near = new Set(ranked.filter(isNear).map((hit) => hit.memoryId))
  return ranked.filter(
    ({ memoryId, explanation: { legs, neighbours } }) =>
      near.has(memoryId) ||
      (legs.length === 0 && neighbours.some((neighbour) => near.has(neighbour.memoryId))),
  )
}

interface LegsRun {
  readonly lexical: readonly LegHit[] | null
  readonly vector: readonly VectorHit[] | null
  readonly degraded: readonly string[]
}

const wantsVector = (mode: SearchMode) => mode !== 'KEYWORD'

async function runLegs(
  input: LegInput,
  query: ParsedQuery,
  mode: SearchMode,
  embedding: Promise<QueryVector> | null,
): Promise<LegsRun> {
  if (embedding === null)
    return { lexical: await lexicalLeg(input, query.wanted, false), vector: null, degraded: [] }
  if (mode === 'SEMANTIC') {
    const found = await embedding
    if ('vector' in found)
      return { lexical: null, vector: await vectorLeg(input, found.vector), degraded: [] }
    return { lexical: await lexicalLeg(input, query.wanted, false), vector: null, degraded: [found.missing] }
  }
  // The database scores words while the model embeds the query: they are different processes.
  const [lexical, found] = await Promise.all([lexicalLeg(input, query.wanted, true), embedding])
  if ('vector' in found) return { lexical, vector: await vectorLeg(input, found.vector), degraded: [] }
  return { lexical: await lexicalLeg(input, query.wanted, false), vector: null, degraded: [found.missing] }
}

function matchTypeOf({ lexical, vector }: LegsRun): MatchType {
  if (lexical !== null && vector !== null) return 'HYBRID'
  return vector === null ? 'KEYWORD' : 'SEMANTIC'
}

async function present(
  { scope, readModel }: SearchParts,
  query: ParsedQuery,
  ranked: readonly RankedHit[],
  vectorHits: readonly VectorHit[] | null,
): Promise<SearchHit[]> {
  const memories = await readMemories(
    scope,
    readModel.tables,
    ranked.map((hit) => hit.memoryId),
  )
  // One that was posted away between the legs and now is left out.
  const found = ranked.flatMap((hit) => {
    const memory = memories.get(hit.memoryId)
    return memory === undefined ? [] : [{ hit, memory }]
  })
  const spans = new Map(vectorHits?.map((hit) => [hit.memoryId, hit]))
  const texts = found.map(({ hit, memory }) => passage(memory.state, hit, spans.get(hit.memoryId)))
  const marked = await snippets(scope.db, query.wanted, texts)
  const modelId = vectorHits === null ? null : readModel.generation.modelId
  return found.map(({ hit, memory }, index) => ({
    memory,
    score: hit.score,
    matchType: hit.matchType,
    snippet: marked[index] ?? '',
    explanation: { ...hit.explanation, generation: readModel.generation.generation, modelId },
  }))
}

/** Where words matched, they show the place; else the chunk that came nearest does. */
function passage(state: MemoryState, hit: RankedHit, span: VectorHit | undefined): string {
  if (hit.matchType !== 'SEMANTIC' || span === undefined) return textOf(state)
  return embeddedTextOf(state).slice(span.spanStart, span.spanEnd)
}
