import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ChainedEvent } from '../chain/check-chain.ts'
import type { KeyUse } from './batch-context.ts'

/** The end of a project's journal, which the next event follows. */
export interface JournalEnd {
  readonly sequence: number
  /** In hex. */
  readonly hash: string
  /** RFC 3339: when the last event was recorded. No effect if no event is written. */
  readonly recordedAt: string
  /** That of the last event, if it may be a new one here. Default: the journal's stays. */
  readonly epoch?: number
}

/**
 * Writes events, uses of idempotency keys and the journal's new end in one statement and one round trip. The
 * caller holds the project's lock, and the events follow the journal's end without a gap.
 */
export async function writeEvents(
  trx: DatabaseTransaction,
  projectId: string,
  events: readonly ChainedEvent[],
  keyUses: ReadonlyMap<string, KeyUse>,
  end: JournalEnd,
): Promise<void> {
  const always = sql<SqlBool>`true`
  await sql`
    with appended as (${insertEvents(projectId, events, always)}),
      keys as (${insertKeyUses(projectId, keyUses, always)})
    update journal_heads set sequence = ${end.sequence}, hash = decode(${end.hash}, 'hex'),
      epoch = greatest(epoch, ${end.epoch ?? 1}::int),
      last_recorded_at = case when sequence = ${end.sequence} then last_recorded_at else ${end.recordedAt}::timestamptz end
    where project_id = ${projectId}`.execute(trx)
}

/** A part of a statement: inserts the events if the condition holds. */
export function insertEvents(
  projectId: string,
  events: readonly ChainedEvent[],
  condition: RawBuilder<SqlBool>,
): RawBuilder<unknown> {
  const rows = events.map((event) => ({
    sequence: event.sequence,
    event_id: event.eventId,
    memory_id: event.memoryId,
    version: event.version,
    type: event.type,
    schema_version: event.schemaVersion,
    // In a row read from JSON, null becomes SQL's NULL, not JSON's null: that is right for erased events.
    data: event.data,
    recorded_at: event.recordedAt,
    actor: event.actor,
    correlation_id: event.correlationId,
    causation_id: event.causationId,
    traceparent: event.traceparent,
    data_salt: event.dataSalt,
    data_hash: event.dataHash,
    hash: event.hash,
    epoch: event.epoch ?? 1,
  }))
  return sql`
    insert into events (project_id, sequence, event_id, memory_id, version, type, schema_version, data, recorded_at,
      actor, correlation_id, causation_id, traceparent, data_salt, data_hash, hash, epoch)
    select ${projectId}, sequence, event_id, memory_id, version, type, schema_version, data, recorded_at,
      actor, correlation_id, causation_id, traceparent, decode(data_salt, 'hex'), decode(data_hash, 'hex'),
      decode(hash, 'hex'), epoch
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(sequence bigint, event_id uuid,
      memory_id uuid, version int, type text, schema_version int, data jsonb, recorded_at timestamptz, actor text,
      correlation_id text, causation_id text, traceparent text, data_salt text, data_hash text, hash text, epoch int)
    where ${condition}`
}

/** A part of a statement: inserts the uses of idempotency keys if the condition holds. */
export function insertKeyUses(
  projectId: string,
  keyUses: ReadonlyMap<string, KeyUse>,
  condition: RawBuilder<SqlBool>,
): RawBuilder<unknown> {
  const rows = [...keyUses].map(([key, use]) => ({
    idempotency_key: key,
    request_hash: use.hash?.toString('hex') ?? null,
    memory_id: use.memoryId,
    version: use.version,
  }))
  return sql`
    insert into idempotency_keys (project_id, idempotency_key, request_hash, memory_id, version)
    select ${projectId}, idempotency_key, decode(request_hash, 'hex'), memory_id, version
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given(idempotency_key text, request_hash text,
      memory_id uuid, version int)
    where ${condition}`
}
