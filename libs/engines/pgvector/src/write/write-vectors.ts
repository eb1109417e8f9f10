import { type QueuedText, queueTexts } from '@daybook/embeddings/store'
import { embeddedTextOf } from '@daybook/memory/state'
import {
  commitUnflushed,
  type Database,
  type DatabaseTransaction,
  type Queryable,
} from '@daybook/postgres/connect'
import type { Generation } from '@daybook/projection/generations/generations'
import type { Fence } from '@daybook/projection/rebuild/fence'
import { type RawBuilder, sql } from 'kysely'
import type { GenerationTables } from '../generation-tables.ts'
import type { MemoryRow } from './write-memories.ts'
import { textsOfVersions, type WrittenVersion } from './write-versions.ts'

/** Removes the vectors of memories whose text has changed, or that are forgotten. */
export async function removeVectors(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  projectId: string,
  memoryIds: readonly string[],
): Promise<void> {
  if (memoryIds.length === 0) return
  await sql`
    delete from ${tables.vectors}
    where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])`.execute(trx)
}

/** Queues the texts whose vectors the embedding store lacks, and writes the vectors that it has. */
export async function requestVectors(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  generation: Generation,
  projectId: string,
  rows: readonly MemoryRow[],
): Promise<void> {
  const ids = liveIds(rows)
  if (ids.length === 0) return
  const areAllNew = await queueLiveTexts(trx, generation, projectId, rows)
  if (areAllNew) return
  await fill(trx, tables, generation, sql`w.project_id = ${projectId} and w.memory_id = any(${ids}::uuid[])`)
}

/**
 * Queues the texts of superseded or forgotten versions that the embedding store lacks: those that went in the
 * batch that wrote them. Searches of the past read their vectors from the store.
 */
export async function requestPastVectors(
  trx: DatabaseTransaction,
  { modelId }: Generation,
  projectId: string,
  versions: readonly Pick<WrittenVersion, 'state'>[],
): Promise<void> {
  await queueTexts(trx, { projectId, modelId }, textsOfVersions(versions))
}

const liveIds = (rows: readonly MemoryRow[]) =>
  rows.filter((row) => !row.forgotten).map((row) => row.memory_id)

/** The texts whose vectors these memories have or wait for. */
export const textsOf = (rows: readonly MemoryRow[]): QueuedText[] =>
  rows
    .filter((row) => !row.forgotten)
    .map((row) => ({ hash: Buffer.from(row.content_hash, 'hex'), text: embeddedTextOf(row.state) }))

/** Up to so many texts are sent without a look at which of them the store knows. */
const TEXTS_UNASKED = 4

/**
 * Queues the texts whose vectors the embedding store lacks. Of many texts, only those that the store does not
 * know in the project are sent.
 * @returns whether the store knew none of them, so that it has no vector of them
 */
export async function queueLiveTexts(
  trx: DatabaseTransaction,
  { modelId }: Generation,
  projectId: string,
  rows: readonly MemoryRow[],
): Promise<boolean> {
  const texts = textsOf(rows)
  if (texts.length === 0) return true
  const hashes = texts.map(({ hash }) => hash.toString('hex'))
  if (texts.length <= TEXTS_UNASKED)
    return (await queueTexts(trx, { projectId, modelId }, texts)) === new Set(hashes).size
  const known = await sql<{ hash: string }>`
    select encode(given.content_hash, 'hex') as hash
    from (select decode(hash, 'hex') as content_hash from unnest(${hashes}::text[]) as hash offset 0) given
    cross join lateral (
      select from embeddings
      where project_id = ${projectId} and model_id = ${modelId} and content_hash = given.content_hash offset 0
    ) stored`.execute(trx)
  const there = new Set(known.rows.map((row) => row.hash))
  await queueTexts(
    trx,
    { projectId, modelId },
    texts.filter((_, index) => !there.has(hashes[index] ?? '')),
  )
  return there.size === 0
}

/** Writes the store's vectors for rows that `upsertMemories` has written as not waiting. */
export async function insertStoredVectors(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  { modelId }: Generation,
  projectId: string,
  rows: readonly MemoryRow[],
): Promise<void> {
  const ids = liveIds(rows)
  if (ids.length === 0) return
  await sql`
    insert into ${tables.vectors} (project_id, memory_id, number, chunk, span_start, span_end, embedding)
    select m.project_id, m.memory_id, m.number, c.chunk, c.span_start, c.span_end, c.embedding
    from ${tables.memories} m cross join lateral (
      select * from embedding_chunks
      where project_id = m.project_id and model_id = ${modelId} and content_hash = m.content_hash offset 0
    ) c
    where m.project_id = ${projectId} and m.memory_id = any(${ids}::uuid[]) and not exists (
      select from ${tables.waiting} w where w.project_id = m.project_id and w.memory_id = m.memory_id)
    on conflict do nothing`.execute(trx)
}

/**
 * Texts whose vectors one statement inserts into the index. On PGlite, where everybody waits for a statement,
 * it takes about 70 ms for 16 vectors of 384 numbers.
 */
const TEXTS_PER_STATEMENT = 16

/** Waiting memories per page that are checked for vectors. */
const WAITING_PER_PAGE = 500

/**
 * Writes vectors that have just been stored to the memories that wait for them, in every project.
 * @param hashes of the texts, of any project
 * @returns how many memories got their vectors
 */
export async function fillVectors(
  db: Database,
  tables: GenerationTables,
  generation: Generation,
  hashes: readonly Buffer[],
  fence: Fence | null = null,
): Promise<number> {
  let filled = 0
  for (let from = 0; from < hashes.length; from += TEXTS_PER_STATEMENT) {
    const hex = hashes.slice(from, from + TEXTS_PER_STATEMENT).map((hash) => hash.toString('hex'))
    const which = sql`w.content_hash = any(array(select decode(hash, 'hex') from unnest(${hex}::text[]) as hash))`
    filled += await (fence === null
      ? fill(db, tables, generation, which)
      : db.transaction().execute(async (trx) => {
          await fence.hold(trx)
          return fill(trx, tables, generation, which)
        }))
  }
  return filled
}

interface WaitingText {
  readonly project_id: string
  readonly content_hash: Buffer
}

/** Sorts before every project id. */
const NO_PROJECT = '00000000-0000-0000-0000-000000000000'

/**
 * Like `fillVectors`, for all memories that wait. It also finds a memory that was written at the moment in
 * which its text's vector was stored: such a memory has seen neither the vector nor, later, its message.
 * @param fence for a generation that is being built
 */
export async function fillAllVectors(
  db: Database,
  tables: GenerationTables,
  generation: Generation,
  fence: Fence | null = null,
): Promise<number> {
  // Reads page by page in the order of the index. If all were read at once, a planner without statistics
  // would read the whole store.
  for (let filled = 0, after: WaitingText = { project_id: NO_PROJECT, content_hash: Buffer.alloc(0) }; ; ) {
    const { rows } = await sql<WaitingText & { ready: boolean | null }>`
      select waiting.project_id, waiting.content_hash,
        (select embedded_at is not null from embeddings
          where project_id = waiting.project_id and model_id = ${generation.modelId}
            and content_hash = waiting.content_hash) as ready
      from (
        select project_id, content_hash from ${tables.waiting}
        where (content_hash, project_id) > (${after.content_hash}, ${after.project_id}::uuid)
        order by content_hash, project_id limit ${WAITING_PER_PAGE}
      ) waiting
      order by content_hash, project_id`.execute(db)
    const ready = rows.filter((row) => row.ready === true).map((row) => row.content_hash)
    filled += await fillVectors(db, tables, generation, ready, fence)
    const last = rows.at(-1)
    if (last === undefined || rows.length < WAITING_PER_PAGE) return filled
    after = last
  }
}

/**
 * Writes the vectors that the store has to memories that wait for them.
 *
 * A memory's row is locked before its vectors are written, as by whoever revises or forgets it: else vectors of the
 * former text could come after they were removed. If the memory has changed meanwhile, its row has another hash.
 *
 * `offset 0` makes each text a lookup by the store's key. A planner without statistics would read the whole
 * store.
 * @param which of the rows `w` of the table `waiting`
 */
async function fill(
  db: Queryable,
  tables: GenerationTables,
  generation: Generation,
  which: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<{ filled: number }>`
    with ready as materialized (
      select w.place, w.project_id, w.memory_id, w.content_hash, m.number
      from (
        select ctid as place, project_id, memory_id, content_hash from ${tables.waiting} w
        where ${which} and ${commitUnflushed()} and exists (
          select from embeddings
          where project_id = w.project_id and model_id = ${generation.modelId} and content_hash = w.content_hash
            and embedded_at is not null offset 0)
        order by project_id, memory_id offset 0
      ) w cross join lateral (
        select number from ${tables.memories}
        where project_id = w.project_id and memory_id = w.memory_id and content_hash = w.content_hash and not forgotten
        for share
      ) m
    ), taken as (
      delete from ${tables.waiting} where ctid = any(array(select place from ready))
      returning project_id, memory_id
    ), inserted as (
      insert into ${tables.vectors} (project_id, memory_id, number, chunk, span_start, span_end, embedding)
      select ready.project_id, ready.memory_id, ready.number, c.chunk, c.span_start, c.span_end, c.embedding
      from ready join taken using (project_id, memory_id) cross join lateral (
        select * from embedding_chunks
        where project_id = ready.project_id and model_id = ${generation.modelId} and content_hash = ready.content_hash
        offset 0
      ) c
      on conflict do nothing
    )
    select count(*) as filled from taken`.execute(db)
  return rows[0]?.filled ?? 0
}
