import { namesIn } from '../ranking/speakers.ts'
import type { RetrieverInput } from '../retrievers/retriever-input.ts'
import { readTokens, type StoredTokens } from './read-tokens.ts'

/** Lookups of token bits that run while a retriever still runs. */
export interface TokenLookups {
  /** Starts to read what is stored of those of these memories that have not been started yet. */
  begin(modelId: string, memoryIds: readonly string[]): void
  /** What is stored of these memories, by id; reads what was not begun. @throws what a lookup threw */
  of(modelId: string, memoryIds: readonly string[]): Promise<Map<string, StoredTokens>>
}

/**
 * Starts a collection of lookups. Reading the bits of 600 memories takes about as long as the walk through the
 * vector index, and half of them are known before it: what the words found.
 *
 * @param wanted the question's words: where they name somebody, the beginnings of notes are read too
 */
export function startTokenLookups({ scope, readModel }: RetrieverInput, wanted: string): TokenLookups {
  const withBeginnings = namesIn(wanted).size > 0
  const begun = new Map<string, Set<string>>()
  const lookups = new Map<string, Promise<Map<string, StoredTokens>>[]>()
  const lookupsOf = (modelId: string) => {
    const those = lookups.get(modelId) ?? []
    lookups.set(modelId, those)
    return those
  }
  const begin = (modelId: string, memoryIds: readonly string[]) => {
    const known = begun.get(modelId) ?? new Set()
    begun.set(modelId, known)
    const others = [...new Set(memoryIds)].filter((id) => !known.has(id))
    if (others.length === 0) return
    for (const id of others) known.add(id)
    const lookup = readTokens(scope, readModel, { modelId, memoryIds: others, withBeginnings })
    // If a retriever fails, nobody waits for this lookup, and that failure is reported.
    lookup.catch(() => {})
    lookupsOf(modelId).push(lookup)
  }
  return {
    begin,
    async of(modelId, memoryIds) {
      begin(modelId, memoryIds)
      const wantedIds = new Set(memoryIds)
      const found = await Promise.all(lookupsOf(modelId))
      return new Map(found.flatMap((some) => [...some].filter(([id]) => wantedIds.has(id))))
    },
  }
}
