import {
  countLexicalStats,
  readLexicalStats,
  removePostings,
  saveLexicalStats,
} from '@daybook/lexical-index/write'
import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import { isRelationMissing } from '@daybook/postgres/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { removeRows } from '@daybook/postgres/remove-rows'
import type { Generation } from '@daybook/projection/generations/generations'
import { rewindPosition } from '@daybook/projection/positions/divergence'
import { forgetPosition, holdPosition } from '@daybook/projection/positions/positions'
import { PositionMoved } from '@daybook/projection/projection'
import type { RemoveOptions } from '@daybook/projection/rebuild/rebuildable-projection'
import { sql } from 'kysely'
import { formerWords } from '../former-words.ts'
import { type GenerationTables, generationTables, PGVECTOR } from '../generation-tables.ts'
import { rewriteMemories } from './rewrite-memories.ts'
import { readOldRows } from './write-memories.ts'
import { removeVectors } from './write-vectors.ts'

/**
 * Removes the texts' token bits, and with them their vectors, from the embedding store, of every model, unless another memory has or had
 * the same text.
 */
async function removeEmbeddings(
  trx: DatabaseTransaction,
  { memories, versions }: GenerationTables,
  projectId: string,
  memoryIds: readonly string[],
): Promise<void> {
  const of = sql`project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])`
  const ofOthers = sql`project_id = ${projectId} and memory_id <> all(${memoryIds}::uuid[])`
  await sql`
    with theirs as materialized (
      select content_hash from ${memories} where ${of} union select content_hash from ${versions} where ${of}
    ), alone as materialized (
      select content_hash from theirs
      except select content_hash from ${memories} where ${ofOthers} and content_hash in (select content_hash from theirs)
      except select content_hash from ${versions} where ${ofOthers} and content_hash in (select content_hash from theirs)
    )
    delete from embeddings where project_id = ${projectId} and content_hash in (select content_hash from alone)`.execute(
    trx,
  )
}

/**
 * Removes memories, with all their versions, from all tables of a generation, and their texts from the embedding store. Their numbers are not reused.
 * Call it in a transaction.
 */
export async function eraseMemories(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  projectId: string,
  memoryIds: readonly string[],
): Promise<void> {
  if (memoryIds.length === 0) return
  const stats = await readLexicalStats(trx, tables, projectId)
  const held = [...(await readOldRows(trx, tables, projectId, memoryIds)).values()]
  const indexed = held.filter((row) => !row.forgotten)
  await removePostings(
    trx,
    tables,
    projectId,
    indexed.map((row) => row.memory_id),
  )
  await removePostings(
    trx,
    formerWords(tables),
    projectId,
    held.map((row) => row.memory_id),
  )
  await removeVectors(trx, tables, projectId, memoryIds)
  await removeEmbeddings(trx, tables, projectId, memoryIds)
  for (const table of [tables.waiting, tables.versions, tables.memories])
    await sql`delete from ${table} where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])`.execute(
      trx,
    )
  await saveLexicalStats(trx, tables, projectId, {
    memories: stats.memories - indexed.length,
    total_length: stats.total_length - indexed.reduce((sum, row) => sum + row.length, 0),
    next_number: stats.next_number,
  })
}

/** Rows per statement. On the embedded database, where everybody waits for it, some 50 ms. */
const ROWS = 1_000

/**
 * Deletes all rows of a deleted project from a generation. The position goes first: that waits for a batch which is
 * being written, and no other follows.
 * @returns how many rows there were
 */
export async function removeProject(
  scope: ProjectScope,
  { generation }: Generation,
  { signal }: RemoveOptions,
): Promise<number> {
  const { memories, versions, postings, formerPostings, lexicalStats, vectors, waiting } =
    generationTables(generation)
  await forgetPosition(scope, { name: PGVECTOR, generation })
  let removed = 0
  for (const table of [waiting, vectors, postings, formerPostings, versions, memories, lexicalStats])
    try {
      removed += await removeRows(scope, table, { atOnce: ROWS, signal })
    } catch (error) {
      // The generation was dropped meanwhile.
      if (!isRelationMissing(error)) throw error
    }
  return removed
}

/**
 * Memories taken back in one transaction. The embedded database takes about 100 ms for it, and everybody else
 * waits meanwhile.
 */
const PAGE = 100

/**
 * Takes the rows of a project back to an earlier cursor. A memory has changed since if its row has a later
 * sequence. It is rewritten as of the cursor, or removed if it is newer. The position moves last, so that
 * another process that takes over starts again.
 * @throws PositionMoved if the position is not `from`
 */
export async function rewindReadModel(
  scope: ProjectScope,
  generation: Generation,
  { from, to }: { readonly from: JournalCursor; readonly to: JournalCursor },
): Promise<void> {
  const { db, projectId } = scope
  const ref = { name: PGVECTOR, generation: generation.generation }
  const tables = generationTables(generation.generation)
  const changed = await changedAfter(db, tables, projectId, to.sequence)
  for (let start = 0; start < changed.length; start += PAGE)
    await rewriteMemories(scope, generation, changed.slice(start, start + PAGE), { rewound: { from, to } })
  await db.transaction().execute(async (trx) => {
    const held = await holdPosition(trx, ref, projectId)
    if (held.sequence !== from.sequence || held.hash !== from.hash)
      throw new PositionMoved(ref.name, from.sequence)
    const { rows } = await sql<{ next: number }>`
      select coalesce(max(number), 0) + 1 as next from ${tables.memories} where project_id = ${projectId}`.execute(
      trx,
    )
    // Numbers of removed memories are reused, as in a rebuild.
    await countLexicalStats(trx, tables, projectId, rows[0]?.next ?? 1)
    await rewindPosition(trx, ref, projectId, to)
  })
}

async function changedAfter(
  db: Queryable,
  { memories }: GenerationTables,
  projectId: string,
  sequence: number,
): Promise<string[]> {
  const { rows } = await sql<{ memory_id: string }>`
    select memory_id from ${memories} where project_id = ${projectId} and sequence > ${sequence}`.execute(db)
  return rows.map((row) => row.memory_id)
}
