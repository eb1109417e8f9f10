import { ValidationError } from '@daybook/memory/errors'
import { type MemoryFilter, narrows } from '@daybook/memory/filter'
import { embeddedTextOf, type Memory } from '@daybook/memory/state'
import { filterCondition } from '@daybook/pgvector/read/filter'
import { readMemories } from '@daybook/pgvector/read/read-memories'
import { sql } from 'kysely'
import { LIMIT_MAX } from '../check-request.ts'
import { plainExplanation } from '../ranking/explanation.ts'
import { readFewOnce } from '../retrievers/postgres/few-satisfying.ts'
import { type VectorHit, vectorRetriever } from '../retrievers/postgres/vector-retriever.ts'
import type { RetrieverInput } from '../retrievers/retriever-input.ts'
import type { SearchParts } from '../search-parts.ts'
import type { SearchAnswer, SearchHit } from '../search-request.ts'
import { readSearchState, waitingForVectors } from '../search-state.ts'
import { snippets } from '../snippets.ts'
import { type SimilarTo, type SimilarVectors, similarVectors } from './similar-vectors.ts'

/** What to find. */
export interface SimilarRequest extends SimilarTo {
  /** The most hits, 1 to 100. */
  readonly topK: number
  readonly filter: MemoryFilter
}

/**
 * The memories nearest in meaning, without the memory itself. A hit's score is the cosine of the nearest pair of
 * chunks, 0 to 1; words, neighbours and time do not count. Postgres answers, whichever engines there are: it
 * has all vectors.
 * @throws as `similarVectors` does
 */
export async function similar(parts: SearchParts, request: SimilarRequest): Promise<SearchAnswer> {
  if (!Number.isInteger(request.topK) || request.topK < 1 || request.topK > LIMIT_MAX)
    throw new ValidationError('topK', `must be a whole number from 1 to ${LIMIT_MAX}`)
  return nearestTo(parts, await similarVectors(parts, request), { ...request, leastCosine: -1 })
}

/** How near, and which. */
export interface NearestOptions {
  readonly topK: number
  readonly filter: MemoryFilter
  /** Hits with a lower cosine are left out. */
  readonly leastCosine: number
}

/** The memories nearest to any of the vectors. */
export async function nearestTo(
  parts: SearchParts,
  { vectors, text, itself }: SimilarVectors,
  { topK, filter, leastCosine }: NearestOptions,
): Promise<SearchAnswer> {
  const { scope, readModel } = parts
  const state = await readSearchState(scope, readModel)
  const condition = sql<boolean>`(${filterCondition(readModel.tables, filter)} and m.memory_id is distinct from ${itself}::uuid)`
  const input: RetrieverInput = {
    ...parts,
    condition,
    includeForgotten: filter.includeForgotten === true,
    limit: topK,
    ...(narrows(filter) && { few: readFewOnce({ scope, readModel, condition }, null) }),
  }
  const best = new Map<string, VectorHit>()
  for (const vector of vectors)
    for (const hit of await vectorRetriever(input, vector))
      if (hit.score >= leastCosine && hit.score > (best.get(hit.memoryId)?.score ?? Number.NEGATIVE_INFINITY))
        best.set(hit.memoryId, hit)
  const nearest = [...best.values()].toSorted((a, b) => b.score - a.score).slice(0, topK)
  const hits = await present(parts, nearest, text)
  return {
    hits,
    matchType: hits.length === 0 ? null : 'SEMANTIC',
    engine: 'POSTGRES',
    degraded: waitingForVectors(state.pending),
    message:
      hits.length === 0 ? 'Nothing is similar: no other memory that the filter selects has a vector.' : null,
    sequence: state.position,
  }
}

async function present(
  { scope, readModel }: SearchParts,
  nearest: readonly VectorHit[],
  wanted: string,
): Promise<SearchHit[]> {
  const memories = await readMemories(
    scope,
    readModel.tables,
    nearest.map(({ memoryId }) => memoryId),
  )
  const found = nearest.flatMap((hit, index) => {
    const memory = memories.get(hit.memoryId)
    return memory === undefined ? [] : [{ hit, memory, rank: index + 1 }]
  })
  const marked = await snippets(
    scope.db,
    wanted,
    found.map(({ hit, memory }) => chunkOf(memory, hit)),
  )
  const { generation, modelId } = readModel.generation
  return found.map(({ hit, memory, rank }, index) => {
    // Opposite directions are no more similar than unrelated ones.
    const score = Math.min(1, Math.max(0, hit.score))
    const vector = {
      retriever: 'vector',
      rank,
      rawScore: hit.score,
      normalisedScore: score,
      weight: 1,
    } as const
    const explained = plainExplanation({
      method: 'DEFAULT',
      retrievers: [{ ...vector, contribution: score }],
      score,
    })
    return {
      memory,
      score,
      matchType: 'SEMANTIC',
      snippet: marked[index] ?? '',
      explanation: { ...explained, generation, modelId },
    }
  })
}

const chunkOf = ({ state }: Memory, { spanStart, spanEnd }: VectorHit) =>
  embeddedTextOf(state).slice(spanStart, spanEnd)
