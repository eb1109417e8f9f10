import { requeueLostTexts } from '@daybook/embeddings/store'
import { readable, toRecord } from '@daybook/journal/read/stored-event'
import { segmentOf } from '@daybook/lexical-index/postings'
import { rebuildSegments } from '@daybook/lexical-index/verify'
import { readLexicalStats, saveLexicalStats } from '@daybook/lexical-index/write'
import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { appliedMemories, isApplied } from '@daybook/projection/apply/applied-memories'
import { unparkMemories } from '@daybook/projection/apply/parked-events'
import type { Generation } from '@daybook/projection/generations/generations'
import { holdPosition } from '@daybook/projection/positions/positions'
import { PositionMoved } from '@daybook/projection/projection'
import type { RewriteOptions } from '@daybook/projection/verify/verifiable'
import { type SqlBool, sql } from 'kysely'
import { type GenerationTables, generationTables, PGVECTOR } from '../generation-tables.ts'
import { memoryRow } from './memory-row.ts'
import { insertVersions, upsertMemories } from './write-memories.ts'
import { requestVectors, textsOf } from './write-vectors.ts'

export interface RewriteMemoriesOptions extends RewriteOptions {
  /** As of this earlier place `to` instead, where the position is `from`. */
  readonly rewound?: { readonly from: JournalCursor; readonly to: JournalCursor }
}

/**
 * Writes memories anew from the journal, as of the position, whatever is in their rows now: what was changed by hand, taken away
 * or added becomes what the events come to. One transaction, in which nobody else writes the project.
 * @throws PositionMoved where it is not where `rewound` says
 */
export async function rewriteMemories(
  { db, projectId }: ProjectScope,
  generation: Generation,
  memoryIds: readonly string[],
  options: RewriteMemoriesOptions = {},
): Promise<void> {
  const place = { name: PGVECTOR, generation: generation.generation }
  const tables = generationTables(generation.generation)
  await db.transaction().execute(async (trx) => {
    const held = await holdPosition(trx, place, projectId)
    const { from, to } = options.rewound ?? { from: held, to: held }
    if (held.sequence !== from.sequence || held.hash !== from.hash)
      throw new PositionMoved(place.name, from.sequence)
    const position = to.sequence
    const scope = projectScope(trx, projectId)
    const applied = await appliedMemories(scope, place, { memoryIds, position, ...options })
    const versions = await trx
      .selectFrom('events as e')
      .selectAll()
      .where('project_id', '=', projectId)
      .where(sql<SqlBool>`memory_id = any(${memoryIds}::uuid[])`)
      .where(isApplied(place, position, options))
      .orderBy('sequence')
      .execute()

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
      // One by one, so that the next free number is seen. There are few without a number of their own.
      if (!removed.has(newest.memoryId)) await upsertMemories(trx, tables, projectId, [row])
      rows.push(row)
    }
    await upsertMemories(trx, tables, projectId, rows)
    await insertVersions(trx, tables, projectId, versions.map(toRecord).map(readable))
    await requeueLostTexts(trx, { projectId, modelId: generation.modelId }, textsOf(rows))
    await requestVectors(trx, tables, generation, projectId, rows)
    await saveLexicalStats(trx, tables, projectId, { ...stats, next_number: nextNumber })
    await rebuildSegments(trx, tables, projectId, [...segments])
    if (options.unpark === true) await unparkMemories(trx, place, projectId, memoryIds)
  })
}

/** @returns the numbers that the memories had */
async function removeRows(
  trx: DatabaseTransaction,
  { memories, versions, vectors }: GenerationTables,
  projectId: string,
  memoryIds: readonly string[],
): Promise<Map<string, number>> {
  for (const table of [versions, vectors])
    await sql`delete from ${table} where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])`.execute(
      trx,
    )
  const { rows } = await sql<{ memory_id: string; number: number }>`
    delete from ${memories} where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[])
    returning memory_id, number`.execute(trx)
  return new Map(rows.map((row) => [row.memory_id, row.number]))
}

/** The number that a memory had whose row is gone, as far as it can be told: the one after that of the memory before it. */
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
