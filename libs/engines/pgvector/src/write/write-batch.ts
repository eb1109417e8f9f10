import {
  insertPostings,
  memoriesWithOtherLexemes,
  readLexicalStats,
  removePostings,
  saveLexicalStats,
} from '@daybook/lexical-index/write'
import type { JournalEvent } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { Generation } from '@daybook/projection/generations/generations'
import type { GenerationTables } from '../generation-tables.ts'
import type { MemoryRow } from './memory-row.ts'
import { insertVersions, type OldRow, readOldRows, rowsOf, upsertMemories } from './write-memories.ts'
import { removeVectors, requestVectors } from './write-vectors.ts'

/** Writes consecutive events of one project to all tables of a generation. Call it in a transaction. */
export async function writeBatch(
  trx: DatabaseTransaction,
  tables: GenerationTables,
  generation: Generation,
  projectId: string,
  events: readonly JournalEvent[],
): Promise<void> {
  if (events.length === 0) return
  const stats = await readLexicalStats(trx, tables, projectId)
  const old = await readOldRows(trx, tables, projectId, [...new Set(events.map((event) => event.memoryId))])
  const { rows, nextNumber } = rowsOf(events, old, stats.next_number)

  const live = rows.filter((row) => !row.forgotten)
  const isIndexed = (memoryId: string) => old.get(memoryId)?.forgotten === false
  const changed = await memoriesWithOtherLexemes(
    trx,
    tables,
    projectId,
    live.filter((row) => isIndexed(row.memory_id)),
  )
  const leaving = [...old.values()].filter(
    (row) =>
      !row.forgotten && (changed.has(row.memory_id) || !live.some((one) => one.memory_id === row.memory_id)),
  )
  const entering = live
    .map((row) => row.memory_id)
    .filter((memoryId) => changed.has(memoryId) || !isIndexed(memoryId))

  await removePostings(
    trx,
    tables,
    projectId,
    leaving.map((row) => row.memory_id),
  )
  await removeVectors(trx, tables, projectId, vectorsToRemove(rows, old))
  await upsertMemories(trx, tables, projectId, rows)
  await insertVersions(trx, tables, projectId, events)

  const addedLength = await insertPostings(trx, tables, projectId, entering)
  await saveLexicalStats(trx, tables, projectId, {
    memories: stats.memories - leaving.length + entering.length,
    total_length: stats.total_length - leaving.reduce((sum, row) => sum + row.length, 0) + addedLength,
    next_number: nextNumber,
  })
  await requestVectors(trx, tables, generation, projectId, rows)
}

function vectorsToRemove(rows: readonly MemoryRow[], old: ReadonlyMap<string, OldRow>): string[] {
  return rows
    .filter((row) => {
      const before = old.get(row.memory_id)
      return before !== undefined && (row.forgotten || before.content_hash !== row.content_hash)
    })
    .map((row) => row.memory_id)
}
