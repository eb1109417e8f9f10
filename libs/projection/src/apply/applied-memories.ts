import { readable, toRecord } from '@daybook/journal/read/stored-event'
import type { JournalEvent } from '@daybook/memory/events'
import type { Memory } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Tables } from '@daybook/postgres/tables'
import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { GenerationRef } from '../generations/generations.ts'
import type { RewriteOptions } from '../verify/verifiable.ts'

/** A memory as a generation must hold it at a position. */
export interface AppliedMemory {
  /** Its newest event up to the position that is not parked. */
  readonly newest: JournalEvent
  /** The sequence of its oldest such event. */
  readonly firstSequence: number
}

/**
 * A condition on `events e`: whether the generation has applied the event. Parked and erased events do not
 * count.
 * @param unpark counts parked events in, except dropped ones
 */
function isApplied(
  { name, generation }: GenerationRef,
  position: number,
  { unpark = false }: RewriteOptions = {},
): RawBuilder<boolean> {
  return sql<boolean>`e.sequence <= ${position} and ${isNotErased(position)} and not exists (
    select from parked_events p
    where p.projection = ${name} and p.generation = ${generation}
      and p.project_id = e.project_id and p.sequence = e.sequence
      and (not ${unpark} or p.dropped_at is not null))`
}

/**
 * A condition on `events e`: the event has its data, and no later event of its memory up to `position` was
 * erased.
 */
export const isNotErased = (position: number): RawBuilder<boolean> => sql<boolean>`
  e.data is not null and not exists (
    select from events gone
    where gone.project_id = e.project_id and gone.memory_id = e.memory_id and gone.version > e.version
      and gone.sequence <= ${position} and gone.data is null)`

/**
 * The memories as of the generation's position, each with its newest event that is not parked. A memory
 * without such an event is left out, and one whose newest event cannot be read: an earlier Daybook may have applied
 * what this one parks, and a rewrite takes that away.
 * @throws Error if what is to be unparked cannot be read: it stays parked
 */
export async function appliedMemories(
  { db, projectId }: ProjectScope,
  ref: GenerationRef,
  { memoryIds, position, ...options }: { memoryIds: readonly string[]; position: number } & RewriteOptions,
): Promise<AppliedMemory[]> {
  const { rows } = await sql<Selectable<Tables['events']> & { first_sequence: number }>`
    select distinct on (memory_id) e.*, min(sequence) over (partition by memory_id) as first_sequence from events e
    where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[]) and ${isApplied(ref, position, options)}
    order by memory_id, version desc`.execute(db)
  return rows.flatMap((row) =>
    readableOf(row, options).map((newest) => ({ newest, firstSequence: row.first_sequence })),
  )
}

/** All readable events of the memories that the generation has applied, in the order of the journal. */
export async function appliedEvents(
  { db, projectId }: ProjectScope,
  ref: GenerationRef,
  { memoryIds, position, ...options }: { memoryIds: readonly string[]; position: number } & RewriteOptions,
): Promise<JournalEvent[]> {
  if (memoryIds.length === 0) return []
  const rows = await db
    .selectFrom('events as e')
    .selectAll()
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`memory_id = any(${memoryIds}::uuid[])`)
    .where(isApplied(ref, position, options))
    .orderBy('sequence')
    .execute()
  return rows.flatMap((row) => readableOf(row, options))
}

function readableOf(row: Selectable<Tables['events']>, { unpark = false }: RewriteOptions): JournalEvent[] {
  const record = toRecord(row)
  return record.status === 'opaque' && !unpark ? [] : [readable(record)]
}

/** Like `appliedMemories`, as states. */
export async function appliedStates(
  scope: ProjectScope,
  ref: GenerationRef,
  at: { memoryIds: readonly string[]; position: number } & RewriteOptions,
): Promise<Memory[]> {
  return (await appliedMemories(scope, ref, at)).map(({ newest }) => memoryAfter(newest))
}

/** The memory as an event leaves it. */
export const memoryAfter = ({ data, version, sequence }: JournalEvent): Memory => ({
  state: data.state,
  version,
  sequence,
})

/**
 * The newest event of each memory in a batch. One row or document is written for it, as it carries the whole
 * state.
 */
export const newestOfEach = (events: readonly JournalEvent[]): JournalEvent[] => [
  ...new Map(events.map((event) => [event.memoryId, event])).values(),
]
