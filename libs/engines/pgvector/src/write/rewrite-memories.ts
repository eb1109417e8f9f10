import { requeueLostTexts } from '@daybook/embeddings/store'
import { segmentOf } from '@daybook/lexical-index/postings'
import { rebuildPostings, rebuildSegments } from '@daybook/lexical-index/verify'
import { readLexicalStats, saveLexicalStats } from '@daybook/lexical-index/write'
import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { appliedEvents, appliedMemories } from '@daybook/projection/apply/applied-memories'
import { unparkMemories } from '@daybook/projection/apply/parked-events'
import type { Generation } from '@daybook/projection/generations/generations'
import { holdPosition } from '@daybook/projection/positions/positions'
import { PositionMoved } from '@daybook/projection/projection'
import type { RewriteOptions } from '@daybook/projection/verify/verifiable'
import { sql } from 'kysely'
import { formerWords } from '../former-words.ts'
import { type GenerationTables, generationTables, PGVECTOR } from '../generation-tables.ts'
import { memoryRow, upsertMemories } from './write-memories.ts'
import { requestPastVectors, requestVectors, textsOf } from './write-vectors.ts'
import { pastVersions, supersededTexts, textsOfVersions, versionOf, writeVersions } from './write-versions.ts'

/** How to rewrite memories. */
export interface RewriteMemoriesOptions extends RewriteOptions {
  /** Rewrite as of the earlier cursor `to`; the position must be `from`. Default: as of the position. */
  readonly rewound?: { readonly from: JournalCursor; readonly to: JournalCursor }
}

/**
 * Rewrites memories from the journal as of the position, whatever their rows hold now: rows that were
 * changed, deleted or added by hand become what the events say. One transaction, in which nobody else writes
 * the project.
 * @throws PositionMoved if the position is not `rewound.from`
 */
export async function rewriteMemories(
  { db, projectId }: ProjectScope,
  generation: Generation,
  memoryIds: readonly string[],
  options: RewriteMemoriesOptions = {},
): Promise<void> {
  const ref = { name: PGVECTOR, generation: generation.generation }
  const tables = generationTables(generation.generation)
  await db.transaction().execute(async (trx) => {
    const held = await holdPosition(trx, ref, projectId)
    const { from, to } = options.rewound ?? { from: held, to: held }
    if (held.sequence !== from.sequence || held.hash !== from.hash)
      throw new PositionMoved(ref.name, from.sequence)
    const position = to.sequence
    const scope = projectScope(trx, projectId)
    const applied = await appliedMemories(scope, ref, { memoryIds, position, ...options })
    const written = (await appliedEvents(scope, ref, { memoryIds, position, ...options })).map(versionOf)

    const removed = await removeRows(trx, tables, projectId, memoryIds)
    const stats = await readLexicalStats(trx, tables, projectId)
    let nextNumber = stats.next_number
    const segments = new Set<number>([...removed.values()].map(segmentOf))
    const rows = []
    for (const { newest, firstSequence } of applied.toSorted((a, b) => a.firstSequence - b.firstSequence)) {
      const number =
        removed.get(newest.memoryId) ??
        (await freeNumber(trx, tables, projectId, firstSequence)) ??
        nextNumber
      if (number >= nextNumber) nextNumber = number + 1
      segments.add(segmentOf(number))
      const row = memoryRow(newest, { number, firstSequence })
      // Written one by one, so that the search for the next free number sees each. Few memories lack a
      // number.
      if (!removed.has(newest.memoryId)) await upsertMemories(trx, tables, projectId, [row])
      rows.push(row)
    }
    await upsertMemories(trx, tables, projectId, rows)
    const superseded = supersededTexts(written)
    await writeVersions(trx, tables, projectId, pastVersions(written), superseded)
    const key = { projectId, modelId: generation.modelId }
    const past = [...superseded, ...rows.filter((row) => row.forgotten)]
    await requeueLostTexts(trx, key, [...textsOf(rows), ...textsOfVersions(past)])
    await requestVectors(trx, tables, generation, projectId, rows)
    await requestPastVectors(trx, generation, projectId, past)
    await saveLexicalStats(trx, tables, projectId, { ...stats, next_number: nextNumber })
    await rebuildSegments(trx, tables, projectId, [...segments])
    await rebuildPostings(trx, formerWords(tables), projectId, [...segments])
    if (options.unpark === true) await unparkMemories(trx, ref, projectId, memoryIds)
  })
}

/** @returns the numbers that the memories had */
async function removeRows(
  trx: DatabaseTransaction,
  { memories, versions, vectors, waiting }: GenerationTables,
  projectId: string,
  memoryIds: readonly string[],
): Promise<Map<string, number>> {
  for (const table of [versions, vectors, waiting])
    await sql`delete from ${table} where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])`.execute(
      trx,
    )
  const { rows } = await sql<{ memory_id: string; number: number }>`
    delete from ${memories} where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])
    returning memory_id, number`.execute(trx)
  return new Map(rows.map((row) => [row.memory_id, row.number]))
}

/**
 * The probable number of a memory whose row is gone: one more than that of the memory before it. Null if that
 * number is taken.
 */
async function freeNumber(
  trx: DatabaseTransaction,
  { memories }: GenerationTables,
  projectId: string,
  firstSequence: number,
): Promise<number | null> {
  const { rows } = await sql<{ number: number; taken: boolean }>`
    select before.number + 1 as number, exists (
      select from ${memories} where project_id = ${projectId} and number = before.number + 1) as taken
    from (
      select coalesce((
        select number from ${memories} where project_id = ${projectId} and first_sequence < ${firstSequence}
        order by first_sequence desc limit 1), 0) as number
    ) before`.execute(trx)
  const row = rows[0]
  return row === undefined || row.taken ? null : row.number
}
