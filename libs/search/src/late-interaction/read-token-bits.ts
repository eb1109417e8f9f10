import { setImmediate as nextTurn } from 'node:timers/promises'
import { copyRows } from '@daybook/postgres/copy-rows'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import { NO_TOKEN_BITS_CACHE, type TokenBitsCache } from './token-bits-cache.ts'

/** Which token bits `readTokenBits` reads. */
export interface TokenBitsAsked {
  readonly modelId: string
  /** Of the texts, in hexadecimal, each once. */
  readonly hashes: readonly string[]
  /** Where they may be already. Default: nowhere. */
  readonly cache?: TokenBitsCache | undefined
}

/**
 * Reads the token bits of texts, by hash: what the cache has at once, the others from the embedding store. They are in
 * that store only: a copy in each generation would take another 1.6 KB a memory.
 *
 * @param each called with the bits of each text as they come, in any order; not for texts that have none
 */
export async function readTokenBits(
  { db, projectId }: ProjectScope,
  { modelId, hashes, cache = NO_TOKEN_BITS_CACHE }: TokenBitsAsked,
  each: (hash: string, bits: Uint8Array) => void,
): Promise<void> {
  const kept = cache.of(projectId, modelId)
  const known = hashes.flatMap((hash) => {
    const bits = kept.get(hash)
    return bits === undefined ? [] : [{ hash, bits }]
  })
  const isKnown = new Set(known.map(({ hash }) => hash))
  const others = hashes.filter((hash) => !isKnown.has(hash))
  const readOthers = async () => {
    if (others.length === 0) return
    // `offset 0` makes the planner look up each text by its key: by what is decoded already, because under row level
    // security it uses no index for a `decode` in the condition.
    const query = sql`
      select given.place::int, stored.token_bits
      from (
        select place, decode(hash, 'hex') as content_hash
        from unnest(${others}::text[]) with ordinality as asked(hash, place) offset 0
      ) given cross join lateral (
        select token_bits from embeddings
        where project_id = ${projectId} and model_id = ${modelId} and content_hash = given.content_hash offset 0
      ) stored where stored.token_bits is not null`
    await copyRows(db, query, ([place, bits]) => {
      const hash = others[(place?.readInt32BE() ?? 0) - 1]
      if (hash !== undefined && bits != null) each(hash, kept.keep(hash, bits))
    })
  }
  const giveKnown = async () => {
    // After the others have been asked for.
    await nextTurn()
    for (const { hash, bits } of known) each(hash, bits)
  }
  await Promise.all([readOthers(), giveKnown()])
}
