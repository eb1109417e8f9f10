import { type QueuedText, queueTexts } from '@daybook/embeddings/store'
import { embeddedTextOf } from '@daybook/memory/state'
import type { Database, DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import type { Generation } from '@daybook/projection/generations'
import type { Fence } from '@daybook/projection/rebuild/fence'
import { type RawBuilder, sql } from 'kysely'
import type { GenerationTables } from './generation-tables.ts'
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
  await queueLiveTexts(trx, generation, rows)
  await withStoredVectors(trx, tables, generation, projectId, rows)
}

/** The texts whose vectors the rows' memories have, or wait for. */
export const textsOf = (rows: readonly MemoryRow[]): QueuedText[] =>
  rows
    .filter((row) => !row.forgotten)
    .map((row) => ({ hash: Buffer.from(row.content_hash, 'hex'), text: embeddedTextOf(row.state) }))

/** Asks for the vectors that the store lacks. Only those texts are sent that it does not know. */
export async function queueLiveTexts(
  trx: DatabaseTransaction,
  { modelId }: Generation,
  rows: readonly MemoryRow[],
): Promise<void> {
  const texts = textsOf(rows)
  if (texts.length === 0) return
  const hashes = texts.map(({ hash }) => hash.toString('hex'))
  const known = await sql<{ hash: string }>`
    select hash from unnest(${hashes}::text[]) as hash cross join lateral (
      select from embeddings where model_id = ${modelId} and content_hash = decode(hash, 'hex') offset 0
    ) stored`.execute(trx)
  const there = new Set(known.rows.map((row) => row.hash))
  await queueTexts(
    trx,
    modelId,
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
  const ids = rows.filter((row) => !row.forgotten).map((row) => row.memory_id)
  if (ids.length === 0) return
  await sql`
    insert into ${tables.vectors} (project_id, memory_id, chunk, span_start, span_end, embedding)
    select m.project_id, m.memory_id, c.chunk, c.span_start, c.span_end, c.embedding
    from ${tables.memories} m
    join embedding_chunks c on c.model_id = ${modelId} and c.content_hash = m.content_hash
    where m.project_id = ${projectId} and m.memory_id = any(${ids}::uuid[]) and not m.vector_pending
    on conflict do nothing`.execute(trx)
}

/** Gives the rows' memories the vectors that the store has. */
async function withStoredVectors(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  generation: Generation,
  projectId: string,
  rows: readonly MemoryRow[],
): Promise<void> {
  const ids = rows.filter((row) => !row.forgotten).map((row) => row.memory_id)
  if (ids.length === 0) return
  await fill(trx, tables, generation, sql`m.project_id = ${projectId} and m.memory_id = any(${ids}::uuid[])`)
}

/**
 * Texts whose vectors one statement puts into the index. An insertion into HNSW costs about 4.5 ms on PGlite (384 numbers),
 * and while a statement runs there everybody else waits: 70 ms for these.
 */
const TEXTS_PER_STATEMENT = 16

/** Waiting memories looked at together for whether their vectors are there. */
const WAITING_PER_PAGE = 500

/** Gives vectors that have just been stored to the memories that wait for them. @returns how many memories got theirs. */
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

/**
 * The same for all memories that wait. It finds what `fillVectors` cannot: a memory posted at the very moment in which
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
  for (let filled = 0, after: Buffer = Buffer.alloc(0); ; ) {
    const { rows } = await sql<{ content_hash: Buffer; ready: boolean | null }>`
      select waiting.content_hash,
        (select embedded_at is not null from embeddings
          where model_id = ${generation.modelId} and content_hash = waiting.content_hash) as ready
      from (
        select content_hash from ${tables.memories}
        where vector_pending and content_hash > ${after} order by content_hash limit ${WAITING_PER_PAGE}
      ) waiting
      order by content_hash`.execute(db)
    const ready = rows.filter((row) => row.ready === true).map((row) => row.content_hash)
    filled += await fillVectors(db, tables, generation, ready, fence)
    const last = rows.at(-1)
    if (last === undefined || rows.length < WAITING_PER_PAGE) return filled
    after = last.content_hash
  }
}

async function fill(
  db: Queryable,
  tables: GenerationTables,
  generation: Generation,
  which: RawBuilder<unknown>,
): Promise<number> {
  const { rows } = await sql<{ filled: number }>`
    with ready as (
      update ${tables.memories} m set vector_pending = false
      from embeddings e
      where m.vector_pending and ${which}
        and e.model_id = ${generation.modelId} and e.content_hash = m.content_hash and e.embedded_at is not null
      returning m.project_id, m.memory_id, m.content_hash
    ), inserted as (
      insert into ${tables.vectors} (project_id, memory_id, chunk, span_start, span_end, embedding)
      select ready.project_id, ready.memory_id, c.chunk, c.span_start, c.span_end, c.embedding
      from ready join embedding_chunks c on c.model_id = ${generation.modelId} and c.content_hash = ready.content_hash
      on conflict do nothing
    )
    select count(*) as filled from ready`.execute(db)
  return rows[0]?.filled ?? 0
}
