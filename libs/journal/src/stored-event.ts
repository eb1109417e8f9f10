import type { JournalEvent } from '@daybook/memory/events'
import { upcast } from '@daybook/memory/upcast'
import type { Tables } from '@daybook/postgres/tables'
import type { Selectable } from 'kysely'

/** A place in the journal as a reader finds it: an event, or one that this version of Daybook cannot read. */
export type JournalRecord =
  | { readonly sequence: number; readonly memoryId: string; readonly event: JournalEvent }
  | { readonly sequence: number; readonly memoryId: string; readonly event: null; readonly error: Error }

/** What readers of events need of a row: all but the hashes, which `verifyJournal` and exports look at. */
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
] as const satisfies readonly (keyof Tables['events'])[]

type EventRow = Pick<Selectable<Tables['events']>, (typeof EVENT_COLUMNS)[number]>

/** A row of `events` in today's form. Never throws: what to do about an unreadable event is the reader's decision. */
export function toRecord(row: EventRow): JournalRecord {
  const place = { sequence: row.sequence, memoryId: row.memory_id }
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

/** The event of a record. @throws DaybookError CORRUPT_EVENT where it cannot be read. */
export function readable(record: JournalRecord): JournalEvent {
  if (record.event === null) throw record.error
  return record.event
}
