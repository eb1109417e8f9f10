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
import { formerWords } from '../former-words.ts'
import type { GenerationTables } from '../generation-tables.ts'
import { type MemoryRow, type OldRow, readOldRows, rowsOf, upsertMemories } from './write-memories.ts'
import { removeVectors, requestPastVectors, requestVectors } from './write-vectors.ts'
import {
  pastVersions,
  supersededTexts,
  versionOf,
  type WrittenVersion,
  writeVersions,
} from './write-versions.ts'

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
  const versions = [...[...old.values()].map(versionOfRow), ...events.map(versionOf)]
  const superseded = supersededTexts(versions)
  const former = formerWords(tables)
  const formerChanged = withOtherFormerWords(rows, old, superseded)
  await removePostings(
    trx,
    former,
    projectId,
    [...formerChanged].filter((id) => old.has(id)),
  )
  await upsertMemories(trx, tables, projectId, rows, { withSameText: withSameText(rows, old) })
  await writeVersions(trx, tables, projectId, pastVersions(versions), superseded)
  await insertPostings(trx, former, projectId, [...formerChanged])

  const addedLength = await insertPostings(trx, tables, projectId, entering)
  await saveLexicalStats(trx, tables, projectId, {
    memories: stats.memories - leaving.length + entering.length,
    total_length: stats.total_length - leaving.reduce((sum, row) => sum + row.length, 0) + addedLength,
    next_number: nextNumber,
  })
  await requestVectors(trx, tables, generation, projectId, rows)
  const forgotten = rows.flatMap((row) => (row.forgotten ? [{ state: row.state }] : []))
  await requestPastVectors(trx, generation, projectId, [...superseded, ...forgotten])
}

const versionOfRow = ({ memory_id: memoryId, version, sequence, state }: OldRow): WrittenVersion => ({
  memoryId,
  version,
  sequence,
  state,
})

/** The memories whose vectors stay as they are, or stay awaited. */
const withSameText = (rows: readonly MemoryRow[], old: ReadonlyMap<string, OldRow>): string[] =>
  rows
    .filter(({ memory_id, content_hash }) => {
      const before = old.get(memory_id)
      return before !== undefined && !before.forgotten && before.content_hash === content_hash
    })
    .map((row) => row.memory_id)

/** The memories whose row in the index of former words may change. */
function withOtherFormerWords(
  rows: readonly MemoryRow[],
  old: ReadonlyMap<string, OldRow>,
  superseded: readonly WrittenVersion[],
): ReadonlySet<string> {
  const turned = rows.filter((row) => row.forgotten !== (old.get(row.memory_id)?.forgotten ?? false))
  return new Set([...superseded.map(({ memoryId }) => memoryId), ...turned.map((row) => row.memory_id)])
}

function vectorsToRemove(rows: readonly MemoryRow[], old: ReadonlyMap<string, OldRow>): string[] {
  return rows
    .filter((row) => {
      const before = old.get(row.memory_id)
      return before !== undefined && (row.forgotten || before.content_hash !== row.content_hash)
    })
    .map((row) => row.memory_id)
}
