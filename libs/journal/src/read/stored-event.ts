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
 * - `opaque`: one that this version of Daybook cannot read, written by a newer one or damaged; only its envelope is known
 * - `erased`: one whose data was taken away for good; so is all that came before it of its memory
 */
export type JournalRecord = ReadableRecord | OpaqueRecord | ErasedRecord

interface RecordPlace extends JournalCursor {
  readonly memoryId: string
  readonly envelope: EventEnvelope
}

export interface ReadableRecord extends RecordPlace {
  readonly status: 'readable'
  readonly event: JournalEvent
}

export interface OpaqueRecord extends RecordPlace {
  readonly status: 'opaque'
  readonly event: null
  /** Why it cannot be read. */
  readonly error: Error
}

export interface ErasedRecord extends RecordPlace {
  readonly status: 'erased'
  readonly event: null
}

/** A record that also says which one it follows on. */
export type LinkedRecord =
  | (Omit<ReadableRecord, 'event'> & Link & { readonly event: LinkedEvent })
  | (OpaqueRecord & Link)
  | (ErasedRecord & Link)

interface Link {
  readonly previousHash: string
}

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
  const envelope = toEnvelope(row)
  const { sequence, hash, memoryId } = envelope
  const place = { sequence, hash, memoryId, envelope }
  if (row.data === null) return { ...place, status: 'erased', event: null }
  try {
    const payload = upcast({ type: row.type, schemaVersion: row.schema_version, data: row.data })
    return toReadable({ ...envelope, ...payload })
  } catch (error) {
    const why = error instanceof Error ? error : new Error(String(error))
    return { ...place, status: 'opaque', event: null, error: why }
  }
}

/** The record of an event that is known already, such as one that came over the bus. */
export function toReadable(event: JournalEvent): ReadableRecord {
  const { sequence, hash, memoryId } = event
  return { status: 'readable', sequence, hash, memoryId, envelope: event, event }
}

/** The record, as one that follows on the event with that hash. */
export function linked(record: JournalRecord, previousHash: string): LinkedRecord {
  return record.status === 'readable'
    ? { ...record, previousHash, event: { ...record.event, previousHash } }
    : { ...record, previousHash }
}

/** The record as it is published: with its event where there is one to read. */
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

/** The event of a record. @throws DaybookError CORRUPT_EVENT where it cannot be read, NotFoundError where it was erased. */
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
