import { readLexicalStats, removePostings, saveLexicalStats } from '@daybook/lexical-index/write'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import { formerWords } from '../former-words.ts'
import type { GenerationTables } from '../generation-tables.ts'
import { readOldRows } from './write-memories.ts'
import { removeVectors } from './write-vectors.ts'

/**
 * Removes memories, with all their versions, from all tables of a generation. Their numbers are not reused.
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
  for (const table of [tables.versions, tables.memories])
    await sql`delete from ${table} where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])`.execute(
      trx,
    )
  await saveLexicalStats(trx, tables, projectId, {
    memories: stats.memories - indexed.length,
    total_length: stats.total_length - indexed.reduce((sum, row) => sum + row.length, 0),
    next_number: stats.next_number,
  })
}
