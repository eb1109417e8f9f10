import { type QueuedText, queueTexts } from '@daybook/embeddings/store'
import { embeddedTextOf } from '@daybook/memory/state'
import type { Database, DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import type { Generation } from '@daybook/projection/generations/generations'
import type { Fence } from '@daybook/projection/rebuild/fence'
import { type RawBuilder, sql } from 'kysely'
import type { GenerationTables } from '../generation-tables.ts'
import type { MemoryRow } from './memory-row.ts'

/** Takes the vectors of memories out whose text is another now, or that are forgotten. */
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

/** Asks for the vectors that the store lacks, and takes those that it has. */
export async function requestVectors(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  generation: Generation,
  projectId: string,
  rows: readonly MemoryRow[],
): Promise<void> {
  await queueLiveTexts(trx, generation, projectId, rows)
  const ids = liveIds(rows)
  if (ids.length === 0) return
  await fill(trx, tables, generation, sql`m.project_id = ${projectId} and m.memory_id = any(${ids}::uuid[])`)
}

const liveIds = (rows: readonly MemoryRow[]) =>
  rows.filter((row) => !row.forgotten).map((row) => row.memory_id)

/** The texts whose vectors the rows' memories have, or wait for. */
export const textsOf = (rows: readonly MemoryRow[]): QueuedText[] =>
  rows
    .filter((row) => !row.forgotten)
    .map((row) => ({ hash: Buffer.from(row.content_hash, 'hex'), text: embeddedTextOf(row.state) }))

/** Asks for the vectors that the store lacks. Only those texts are sent that it does not know of the project. */
export async function queueLiveTexts(
  trx: DatabaseTransaction,
  { modelId }: Generation,
  projectId: string,
  rows: readonly MemoryRow[],
): Promise<void> {
  const texts = textsOf(rows)
  if (texts.length === 0) return
  const hashes = texts.map(({ hash }) => hash.toString('hex'))
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
}

/** Gives rows that were written without waiting (`upsertMemories`) the vectors that the store has. */
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
    insert into ${tables.vectors} (project_id, memory_id, chunk, span_start, span_end, embedding)
    select m.project_id, m.memory_id, c.chunk, c.span_start, c.span_end, c.embedding
    from ${tables.memories} m cross join lateral (
      select * from embedding_chunks
      where project_id = m.project_id and model_id = ${modelId} and content_hash = m.content_hash offset 0
    ) c
    where m.project_id = ${projectId} and m.memory_id = any(${ids}::uuid[]) and not m.vector_pending
    on conflict do nothing`.execute(trx)
}

/**
 * Texts whose vectors one statement puts into the index. An insertion into HNSW costs about 4.5 ms on PGlite (384 numbers),
 * and while a statement runs there everybody else waits: 70 ms for these.
 */
const TEXTS_PER_STATEMENT = 16

/** Waiting memories looked at together for whether their vectors are there. */
const WAITING_PER_PAGE = 500

/**
 * Gives vectors that have just been stored to the memories that wait for them, each project's own.
 * @param hashes of the texts, whosever they are
 * @returns how many memories got theirs.
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
    const which = sql`m.content_hash = any(array(select decode(hash, 'hex') from unnest(${hex}::text[]) as hash))`
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

/** Comes before all that are. */
const NO_PROJECT = '00000000-0000-0000-0000-000000000000'

/**
 * The same for all memories that wait. It finds what `fillVectors` cannot: a memory written at the very moment in which
 * its text's vector was stored sees neither the vector nor, later, the news of it.
 * @param fence of a generation that is being built
 */
export async function fillAllVectors(
  db: Database,
  tables: GenerationTables,
  generation: Generation,
  fence: Fence | null = null,
): Promise<number> {
  // In the order of the index, page by page: asked for all at once, a planner without statistics reads the whole store.
  for (let filled = 0, after: WaitingText = { project_id: NO_PROJECT, content_hash: Buffer.alloc(0) }; ; ) {
    const { rows } = await sql<WaitingText & { ready: boolean | null }>`
      select waiting.project_id, waiting.content_hash,
        (select embedded_at is not null from embeddings
          where project_id = waiting.project_id and model_id = ${generation.modelId}
            and content_hash = waiting.content_hash) as ready
      from (
        select project_id, content_hash from ${tables.memories}
        where vector_pending and (content_hash, project_id) > (${after.content_hash}, ${after.project_id}::uuid)
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

/** `offset 0` keeps each text a lookup in the store by its key, which a planner without statistics would read as a whole. */
async function fill(
  db: Queryable,
  tables: GenerationTables,
  generation: Generation,
  which: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<{ filled: number }>`
    with ready as (
      update ${tables.memories} m set vector_pending = false
      where m.vector_pending and ${which} and exists (
        select from embeddings
        where project_id = m.project_id and model_id = ${generation.modelId} and content_hash = m.content_hash
          and embedded_at is not null offset 0)
      returning m.project_id, m.memory_id, m.content_hash
    ), inserted as (
      insert into ${tables.vectors} (project_id, memory_id, chunk, span_start, span_end, embedding)
      select ready.project_id, ready.memory_id, c.chunk, c.span_start, c.span_end, c.embedding
      from ready cross join lateral (
        select * from embedding_chunks
        where project_id = ready.project_id and model_id = ${generation.modelId} and content_hash = ready.content_hash
        offset 0
      ) c
      on conflict do nothing
    )
    select count(*) as filled from ready`.execute(db)
  return rows[0]?.filled ?? 0
}
