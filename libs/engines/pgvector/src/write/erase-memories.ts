import { readLexicalStats, removePostings, saveLexicalStats } from '@daybook/lexical-index/write'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import { formerWords } from '../former-words.ts'
import type { GenerationTables } from '../generation-tables.ts'
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
