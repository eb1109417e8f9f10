import { randomBytes } from 'node:crypto'
import { CHAIN_START, type EventFacts, hashData, hashEvent, newSalts } from '@daybook/memory/event-hash'
import { type Kysely, sql } from 'kysely'
import { hashData as oldHashData, hashEvent as oldHashEvent } from './hash-format-1.ts'

/** Events hashed at a time, so that memory stays small for a journal of any length. */
const PAGE_EVENTS = 500

/**
 * Format 2 of the hash chain: each event's data gets a salt, which an erasure removes with the data. All
 * hashes are recomputed. Starting a new chain at some event would have kept hashes that were noted before.
 * But none were released, and texts in events of format 1 could never have been erased. Events that the old
 * chain shows as changed get a random hash, so that verification still reports them.
 *
 * Breaking: a gateway of the previous version writes no salts, so its appends are refused. Goes through all
 * events, and the table takes twice its size until it is vacuumed.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table daybook.events add column data_salt bytea check (octet_length(data_salt) = 16),
      alter column data drop not null`.execute(db)
  // Null once the memory is erased: a request's hash reveals a short text just as an event's hash does.
  await sql`alter table daybook.idempotency_keys alter column request_hash drop not null`.execute(db)
  const { rows } = await sql<{ id: string; noted: string }>`
    select project_id as id, encode(hash, 'hex') as noted from daybook.journal_heads where sequence > 0`.execute(
    db,
  )
  for (const { id, noted } of rows) await rehashProject(db, id, noted)
  await sql`
    alter table daybook.events add constraint erased_with_salt check ((data is null) = (data_salt is null))`.execute(
    db,
  )
  // Few rows or none, so this index for a memory's erased events costs other events nothing.
  await sql`
    create index events_erased on daybook.events (project_id, memory_id, version) where data is null`.execute(
    db,
  )
}

interface OldEvent extends EventFacts {
  readonly data: unknown
  readonly dataHash: string
  readonly hash: string
}

const NOBODYS = () => randomBytes(32).toString('hex')

async function rehashProject(db: Kysely<unknown>, projectId: string, noted: string): Promise<void> {
  let after = 0
  let oldHash = CHAIN_START
  let hash = CHAIN_START
  for (;;) {
    const events = await readOldEvents(db, projectId, after)
    const last = events.at(-1)
    if (last === undefined) break
    const salts = newSalts(events.length)
    const hashed = events.map((event, index) => {
      const salt = salts[index] as string
      const hole = event.sequence !== (events[index - 1]?.sequence ?? after) + 1
      const sound = oldHashData(event.data) === event.dataHash
      const follows = hole || oldHashEvent(oldHash, event, event.dataHash) === event.hash
      const dataHash = sound ? hashData(salt, event.data) : NOBODYS()
      hash = follows ? hashEvent(hash, event, dataHash) : NOBODYS()
      oldHash = event.hash
      return { sequence: event.sequence, data_salt: salt, data_hash: dataHash, hash }
    })
    // Whole milliseconds, as hashed. Daybook never wrote finer times.
    await sql`
      update daybook.events set data_salt = decode(given.data_salt, 'hex'), data_hash = decode(given.data_hash, 'hex'),
        hash = decode(given.hash, 'hex'), recorded_at = date_trunc('milliseconds', recorded_at)
      from jsonb_to_recordset(${JSON.stringify(hashed)}::jsonb)
        as given(sequence bigint, data_salt text, data_hash text, hash text)
      where project_id = ${projectId} and events.sequence = given.sequence`.execute(db)
    after = last.sequence
  }
  await sql`
    update daybook.journal_heads set hash = decode(${oldHash === noted ? hash : NOBODYS()}, 'hex')
    where project_id = ${projectId}`.execute(db)
}

async function readOldEvents(db: Kysely<unknown>, projectId: string, after: number): Promise<OldEvent[]> {
  const { rows } = await sql<OldEvent>`
    select project_id as "projectId", sequence, event_id as "eventId", memory_id as "memoryId", version, type,
      schema_version as "schemaVersion", recorded_at as "recordedAt", actor, correlation_id as "correlationId",
      causation_id as "causationId", data, encode(data_hash, 'hex') as "dataHash", encode(hash, 'hex') as hash
    from daybook.events where project_id = ${projectId} and sequence > ${after}
    order by sequence limit ${PAGE_EVENTS}`.execute(db)
  return rows
}
