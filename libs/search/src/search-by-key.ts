import { languageOf } from '@daybook/lexical-index/lexemes'
import { check } from '@daybook/memory/check'
import { ValidationError } from '@daybook/memory/errors'
import type { KindName } from '@daybook/memory/kinds/index'
import { type Memory, textOf } from '@daybook/memory/state'
import { isBlank, storableString } from '@daybook/memory/text-rules'
import { readByKey, recentKeys } from '@daybook/pgvector/read/read-memories'
import { checkLimit } from './check-request.ts'
import { plainExplanation } from './ranking/explanation.ts'
import { search } from './search.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchAnswer, SearchHit } from './search-request.ts'
import { readSearchState } from './search-state.ts'
import { snippets } from './snippets.ts'
import { belowSuccessors, type Succeeded } from './succession.ts'

/** The most keys named in a hint. */
const HINTED_KEYS = 5

/**
 * Below this cosine, a memory that shares no word with the key counts as unrelated
 * (`docs/measurements.md#cosines-of-unrelated-texts`). Without the limit, every key would find whatever is
 * least far. An agent that misspelt a key would never see the hint with the existing keys.
 */
export const LEAST_COSINE = 0.2

/** What is looked up: the kind, and the API's name of its key. */
export interface KeyedKind {
  readonly kind: KindName
  readonly field: 'key' | 'name' | 'topic' | 'id'
  readonly plural: string
}

/** `recall`: insights by key. */
export const RECALL: KeyedKind = { kind: 'insight', field: 'key', plural: 'insights' }
/** `recallDecision`: decisions by topic. */
export const DECISION: KeyedKind = { kind: 'decision', field: 'topic', plural: 'decisions' }
/** `recallEntity`: entities by name. */
export const ENTITY: KeyedKind = { kind: 'entity', field: 'name', plural: 'entities' }
/** `recallDocument`: documents by the caller's own id. */
export const DOCUMENT: KeyedKind = { kind: 'document', field: 'id', plural: 'documents' }
/** `pop`: stashes by name. */
export const POP: KeyedKind = { kind: 'stash', field: 'name', plural: 'stashes' }

/**
 * Looks for an exact match first. If there is none, searches the kind for memories that share a word with the
 * key or are near to it in meaning. If that finds nothing either, returns an empty list with a hint that
 * names recent keys.
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
  const newest = await readByKey(scope, readModel.tables, { kind: keyed.kind, key, limit })
  const exact = await belowSuccessors(
    parts,
    newest.map((memory) => ({ memory, memoryId: memory.state.id, score: 1 })),
  )
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

/**
 * A key need not be a valid query: one of only punctuation, for example, finds nothing instead of being
 * refused.
 */
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
  found: readonly Succeeded<{ readonly memory: Memory }>[],
): Promise<SearchHit[]> {
  const marked = await snippets(
    scope.db,
    key,
    found.map(({ memory }) => textOf(memory.state)),
    languageOf(readModel.tables, scope.projectId),
  )
  return found.map(({ memory, supersededBy }, index) => ({
    memory,
    ...(supersededBy !== undefined && { supersededBy }),
    score: 1,
    matchType: 'EXACT',
    snippet: marked[index] ?? '',
    explanation: {
      ...plainExplanation({ method: 'DEFAULT', retrievers: [], score: 1 }),
      generation: readModel.generation.generation,
      modelId: null,
    },
  }))
}
