import { check } from '@daybook/memory/check'
import { ValidationError } from '@daybook/memory/errors'
import type { KindName } from '@daybook/memory/kinds/index'
import { type Memory, textOf } from '@daybook/memory/state'
import { isBlank, storableString } from '@daybook/memory/text-rules'
import { readByKey, recentKeys } from '@daybook/pgvector/read/read-memories'
import { checkLimit } from './check-request.ts'
import { search } from './search.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchAnswer, SearchHit } from './search-request.ts'
import { readSearchState } from './search-state.ts'
import { snippets } from './snippets.ts'

/** Keys named in a hint. */
const HINTED_KEYS = 5

/**
 * Below this cosine a memory that shares no word with the key has nothing to do with it. Measured with MiniLM: "login
 * system" against "auth-flow User authentication implementation with JWT tokens" 0.257, gibberish against unrelated notes up
 * to 0.19. Without it every key would be answered by whatever is least far, and the hint with the keys that exist, which is
 * what an agent that misspelt one needs, would never appear.
 */
export const LEAST_COSINE = 0.2

/** What is recalled: which kind, and what the API calls the key. */
export interface KeyedKind {
  readonly kind: KindName
  readonly field: 'key' | 'name'
  readonly plural: string
}

export const RECALL: KeyedKind = { kind: 'insight', field: 'key', plural: 'insights' }
export const POP: KeyedKind = { kind: 'stash', field: 'name', plural: 'stashes' }

/**
 * Exact match first; where there is none, a search among the kind for what shares a word with the key or is near to it in
 * meaning; where that finds nothing either, an empty list with a hint that names recent keys.
 * @throws ValidationError
 */
export async function searchByKey(
  parts: SearchParts,
  keyed: KeyedKind,
  key: string,
  limit: number,
): Promise<SearchAnswer> {
  checkLimit(limit)
  check(keyed.field, storableString, key)
  const { scope, readModel } = parts
  if (isBlank(key)) throw new ValidationError(keyed.field, 'is empty: give a key or some words to look for')
  const state = await readSearchState(scope, readModel)
  const exact = await readByKey(scope, readModel.tables, { kind: keyed.kind, key, limit })
  if (exact.length > 0)
    return {
      hits: await exactHits(parts, key, exact),
      matchType: 'EXACT',
      engine: 'POSTGRES',
      degraded: [],
      message: null,
      sequence: state.position,
    }

  const answer = await searchOrNothing(parts, keyed, key, limit)
  if (answer !== null && answer.hits.length > 0)
    return { ...answer, matchType: answer.matchType === 'KEYWORD' ? 'KEYWORD' : 'SEMANTIC' }
  const keys = await recentKeys(scope, readModel.tables, { kind: keyed.kind, limit: HINTED_KEYS })
  const hint =
    keys.length === 0
      ? `There are no ${keyed.plural} with a ${keyed.field} yet.`
      : `Recent ${keyed.field}s: ${keys.join(', ')}`
  return {
    hits: [],
    matchType: null,
    engine: answer?.engine ?? 'POSTGRES',
    degraded: answer?.degraded ?? [],
    message: `No ${keyed.plural} match "${key}". ${hint}`,
    sequence: state.position,
  }
}

/** A key need not be a query: one that is only punctuation, say, finds nothing instead of being refused. */
async function searchOrNothing(
  parts: SearchParts,
  keyed: KeyedKind,
  key: string,
  limit: number,
): Promise<SearchAnswer | null> {
  try {
    return await search(parts, {
      query: key,
      filter: { kinds: [keyed.kind] },
      mode: 'HYBRID',
      limit,
      leastCosine: LEAST_COSINE,
    })
  } catch (error) {
    if (error instanceof ValidationError && error.field === 'query') return null
    throw error
  }
}

async function exactHits(
  { scope, readModel }: SearchParts,
  key: string,
  memories: readonly Memory[],
): Promise<SearchHit[]> {
  const marked = await snippets(
    scope.db,
    key,
    memories.map((memory) => textOf(memory.state)),
  )
  return memories.map((memory, index) => ({
    memory,
    score: 1,
    matchType: 'EXACT',
    snippet: marked[index] ?? '',
    explanation: {
      method: 'DEFAULT',
      retrievers: [],
      neighbours: [],
      missingNeighbours: 0,
      session: null,
      ownScore: 1,
      scale: 1,
      score: 1,
      generation: readModel.generation.generation,
      modelId: null,
    },
  }))
}
