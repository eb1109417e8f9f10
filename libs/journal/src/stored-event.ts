import type { JournalEvent, JournalPlace, LinkedEvent } from '@daybook/memory/events'
import { upcast } from '@daybook/memory/upcast'
import type { Tables } from '@daybook/postgres/tables'
import type { Selectable } from 'kysely'

/** A place in the journal as a reader finds it: an event, or one that this version of Daybook cannot read. */
export type JournalRecord = JournalPlace & { readonly memoryId: string } & (
    | { readonly event: JournalEvent }
    | { readonly event: null; readonly error: Error }
  )

/** A place that also says which one it follows on. */
export type LinkedRecord = JournalPlace & { readonly memoryId: string; readonly previousHash: string } & (
    | { readonly event: LinkedEvent }
    | { readonly event: null; readonly error: Error }
  )

/** What readers of events need of a row: all but the hash of its data, which `verifyJournal` and exports look at. */
export const EVENT_COLUMNS = [
  'project_id',
  'sequence',
  'event_id',
  'memory_id',
  'version',
  'type',
  'schema_version',
  'data',
  'recorded_at',
  'actor',
  'correlation_id',
  'causation_id',
  'traceparent',
  'hash',
] as const satisfies readonly (keyof Tables['events'])[]

type EventRow = Pick<Selectable<Tables['events']>, (typeof EVENT_COLUMNS)[number]>

/** A row of `events` in today's form. Never throws: what to do about an unreadable event is the reader's decision. */
export function toRecord(row: EventRow): JournalRecord {
  const place = { sequence: row.sequence, hash: row.hash.toString('hex'), memoryId: row.memory_id }
  try {
    const { type, data } = upcast({ type: row.type, schemaVersion: row.schema_version, data: row.data })
    return {
      ...place,
      event: {
        ...place,
        projectId: row.project_id,
        eventId: row.event_id,
        version: row.version,
        type,
        data,
        recordedAt: row.recorded_at,
        actor: row.actor,
        correlationId: row.correlation_id,
        causationId: row.causation_id,
        traceparent: row.traceparent,
      },
    }
  } catch (error) {
    return { ...place, event: null, error: error instanceof Error ? error : new Error(String(error)) }
  }
}

/** The record, as one that follows on the event with that hash. */
export function linked(record: JournalRecord, previousHash: string): LinkedRecord {
  return record.event === null
    ? { ...record, previousHash }
    : { ...record, previousHash, event: { ...record.event, previousHash } }
}

/** The event of a record. @throws DaybookError CORRUPT_EVENT where it cannot be read. */
export function readable(record: LinkedRecord): LinkedEvent
export function readable(record: JournalRecord): JournalEvent
export function readable(record: JournalRecord): JournalEvent {
  if (record.event === null) throw record.error
  return record.event
}
