import { setImmediate as nextTurn } from 'node:timers/promises'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import { copyRows } from '@daybook/postgres/copy-rows'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/**
 * The most bytes of bits kept. A text of 34 tokens has 1.6 KB, so these are some 40,000 texts, and half as many before
 * any is forgotten.
 */
const MOST_BYTES = 64 * 1024 * 1024

/** After how long what nobody asked for is forgotten: once to twice this, in milliseconds. */
const KEPT_MS = 5 * 60_000

/** The kept token bits of one project's texts by one model, by the hashes of the texts, in hexadecimal. */
interface KeptTokenBits {
  get(hash: string): Uint8Array | undefined
  /** Keeps a copy of the bits. @returns the copy */
  keep(hash: string, bits: Uint8Array): Uint8Array
}

/**
 * Token bits that this process has read from the embedding store lately. A text's bits never change, so what is kept is
 * never wrong. Whoever asks has read the hash in a row of the project, so nothing is found here that the project does not
 * have: after an erasure no row has the hash any more.
 */
export interface TokenBitsCache {
  of(projectId: string, modelId: string): KeptTokenBits
  /** Forgets everything. */
  clear(): void
}

type BitsOfGenerations = Map<string, Map<string, Uint8Array>>

/**
 * Creates an empty cache of two halves. What is read or asked for is in the newer one; when that is full, or some time has
 * passed, it becomes the older one, whose bits are forgotten. A library's cache with an order of all entries and a time for
 * each took .7 ms of a search with 516 texts, this one .1 ms.
 *
 * @param mostBytes of bits. Default 64 MiB
 */
export function createTokenBitsCache(mostBytes = MOST_BYTES): TokenBitsCache {
  let newer: BitsOfGenerations = new Map()
  let older: BitsOfGenerations = new Map()
  let newerBytes = 0
  let copyToNewer = copyInBlocks()
  let aging: NodeJS.Timeout | undefined
  const age = () => {
    older = newer
    newer = new Map()
    newerBytes = 0
    copyToNewer = copyInBlocks()
    clearTimeout(aging)
    aging = older.size === 0 ? undefined : setTimeout(age, KEPT_MS).unref()
  }
  const put = (texts: string, hash: string, bits: Uint8Array): Uint8Array => {
    if (newerBytes + bits.length > mostBytes / 2) age()
    const known = newer.get(texts) ?? new Map<string, Uint8Array>()
    const copy = copyToNewer(bits)
    newer.set(texts, known.set(hash, copy))
    newerBytes += bits.length
    aging ??= setTimeout(age, KEPT_MS).unref()
    return copy
  }
  return {
    of(projectId, modelId) {
      const texts = `${projectId} ${modelId}`
      return {
        get(hash) {
          const bits = newer.get(texts)?.get(hash)
          if (bits !== undefined) return bits
          const old = older.get(texts)?.get(hash)
          // A copy, because the block of the older half would stay in memory with it.
          return old === undefined ? undefined : put(texts, hash, old)
        },
        // A copy: what is given may be part of a much larger piece.
        keep: (hash, bits) => put(texts, hash, bits),
      }
    },
    clear() {
      newer = new Map()
      age()
    },
  }
}

/** Keeps nothing: what it returns is a copy, too. */
export const NO_TOKEN_BITS_CACHE: TokenBitsCache = {
  of() {
    const copy = copyInBlocks()
    return { get: () => undefined, keep: (_, bits) => copy(bits) }
  },
  clear() {},
}

/** Which token bits `readTokenBits` reads. */
interface TokenBitsAsked {
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

/** Reads the hashes of memories' texts in hexadecimal, by memory. */
export async function readContentHashes(
  { db, projectId }: ProjectScope,
  { tables }: Pick<LiveReadModel, 'tables'>,
  memoryIds: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (memoryIds.length === 0) return new Map()
  const { rows } = await sql<{ memory_id: string; content_hash: string }>`
    select memory_id, encode(content_hash, 'hex') as content_hash
    from ${tables.memories} one where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])`.execute(
    db,
  )
  return new Map(rows.map((row) => [row.memory_id, row.content_hash]))
}

/** Bytes of a block: the bits of 40 texts of 34 tokens. */
const BLOCK_BYTES = 64 * 1024

/**
 * Makes a function that copies small pieces of bytes into common blocks: the 516 of a search in 0.5 ms, where arrays of
 * their own took 1.0 (docs/measurements.md#reading-token-bits). A block stays in memory as long as one of its pieces.
 */
export function copyInBlocks(): (bytes: Uint8Array) => Uint8Array {
  let block = new Uint8Array(0)
  let used = 0
  return (bytes) => {
    if (bytes.length > BLOCK_BYTES / 8) return new Uint8Array(bytes)
    if (used + bytes.length > block.length) {
      block = new Uint8Array(BLOCK_BYTES)
      used = 0
    }
    const copy = block.subarray(used, used + bytes.length)
    copy.set(bytes)
    used += bytes.length
    return copy
  }
}
