import { NotFoundError } from '@daybook/memory/errors'
import type {
  EventEnvelope,
  JournalCursor,
  JournalEvent,
  LinkedEnvelope,
  LinkedEvent,
} from '@daybook/memory/events'
import { upcast } from '@daybook/memory/upcast'
import type { Tables } from '@daybook/postgres/tables'
import type { Selectable } from 'kysely'

/**
 * A place in the journal as a reader finds it. Every reader handles all three:
 * - `readable`: an event in today's form
 * - `opaque`: an event that this version of Daybook cannot read, because it is damaged or a newer one wrote
 *   it; only its envelope is known
 * - `erased`: an event whose data was removed for good, like that of all earlier events of its memory
 */
export type JournalRecord = ReadableRecord | OpaqueRecord | ErasedRecord

interface RecordPlace extends JournalCursor {
  readonly memoryId: string
  readonly envelope: EventEnvelope
}

/** A record whose event is readable. */
export interface ReadableRecord extends RecordPlace {
  readonly status: 'readable'
  readonly event: JournalEvent
}

/** A record whose event cannot be read. */
export interface OpaqueRecord extends RecordPlace {
  readonly status: 'opaque'
  readonly event: null
  /** Why it cannot be read. */
  readonly error: Error
}

/** A record whose event was erased. */
export interface ErasedRecord extends RecordPlace {
  readonly status: 'erased'
  readonly event: null
}

/** A record with the hash of the event before it. */
export type LinkedRecord =
  | (Omit<ReadableRecord, 'event'> & Link & { readonly event: LinkedEvent })
  | (OpaqueRecord & Link)
  | (ErasedRecord & Link)

interface Link {
  readonly previousHash: string
}

/**
 * The columns that readers of events need: all but the data's hash, which only `verifyJournal` and exports
 * use.
 */
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

/** A row of `events` as a record. Never throws: the reader decides what to do about an unreadable event. */
export function toRecord(row: EventRow): JournalRecord {
  const envelope = toEnvelope(row)
  const { sequence, hash, memoryId } = envelope
  const place = { sequence, hash, memoryId, envelope }
  if (row.data === null) return { ...place, status: 'erased', event: null }
  try {
    const payload = upcast({
      memoryId,
      type: row.type,
      schemaVersion: row.schema_version,
      data: row.data,
    })
    return toReadable({ ...envelope, ...payload })
  } catch (error) {
    const why = error instanceof Error ? error : new Error(String(error))
    return { ...place, status: 'opaque', event: null, error: why }
  }
}

/** The record of an event in hand, such as one that came over the bus. */
export function toReadable(event: JournalEvent): ReadableRecord {
  const { sequence, hash, memoryId } = event
  return { status: 'readable', sequence, hash, memoryId, envelope: event, event }
}

/** The record with the hash of the event before it. */
export function linked(record: JournalRecord, previousHash: string): LinkedRecord {
  return record.status === 'readable'
    ? { ...record, previousHash, event: { ...record.event, previousHash } }
    : { ...record, previousHash }
}

/** The record as it is published: with its event if that is readable. */
export function publishable(record: LinkedRecord): LinkedEvent | LinkedEnvelope {
  return record.event ?? { ...record.envelope, previousHash: record.previousHash }
}

function toEnvelope(row: EventRow): EventEnvelope {
  return {
    projectId: row.project_id,
    sequence: row.sequence,
    hash: row.hash.toString('hex'),
    eventId: row.event_id,
    memoryId: row.memory_id,
    version: row.version,
    type: row.type,
    recordedAt: row.recorded_at,
    actor: row.actor,
    correlationId: row.correlation_id,
    causationId: row.causation_id,
    traceparent: row.traceparent,
  }
}

/**
 * The event of a record.
 * @throws DaybookError CORRUPT_EVENT if it cannot be read, NotFoundError if it was erased
 */
export function readable(record: LinkedRecord): LinkedEvent
export function readable(record: JournalRecord): JournalEvent
export function readable(record: JournalRecord): JournalEvent {
  switch (record.status) {
    case 'readable':
      return record.event
    case 'opaque':
      throw record.error
    case 'erased':
      throw new NotFoundError(`Event ${record.sequence}, which was erased,`)
  }
}
