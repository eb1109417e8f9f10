import type { JournalEvent } from '@daybook/memory/events'
import { SCHEMA_VERSION } from '@daybook/memory/events'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import type { AppendOutcome, AppendRequest } from './append-request.ts'
import { type KeyUse, readContext } from './batch-context.ts'
import { decideBatch } from './decide-batch.ts'

/**
 * Decides and commits requests in one transaction. The project's lock comes before the first write and before
 * everything that decisions rest on: so sequences have no gaps, become visible in order, and no decision is made on a
 * state that another gateway is just replacing.
 *
 * @returns one outcome a request, and the events that are now committed.
 */
export async function commitBatch(
  { db, projectId }: ProjectScope,
  requests: readonly AppendRequest[],
): Promise<{ outcomes: readonly AppendOutcome[]; events: readonly JournalEvent[] }> {
  return db.transaction().execute(async (trx) => {
    const { sequence: head, now } = await lockProject(trx, projectId)
    const context = await readContext(trx, projectId, requests)
    const { events, newKeyUses, outcomes } = decideBatch(requests, context, { projectId, head, now })
    if (events.length > 0 || newKeyUses.size > 0)
      await write(trx, projectId, { head, now }, events, newKeyUses)
    return { outcomes, events }
  })
}

/**
 * `for update` on the head row waits for the append before, then sees the row as that one left it; an advisory lock
 * would need a second statement for the same, as a statement's snapshot is older than the lock it waits for.
 */
async function lockProject(
  trx: DatabaseTransaction,
  projectId: string,
): Promise<{ sequence: number; now: string }> {
  const { rows } = await sql<{ sequence: number; now: string }>`
    select sequence, date_trunc('milliseconds', greatest(clock_timestamp(), last_recorded_at)) as now
    from journal_heads where project_id = ${projectId} for update`.execute(trx)
  const head = rows[0]
  if (head === undefined) throw new Error(`the project ${projectId} has no journal`)
  return head
}

/** One statement, one round trip, for all rows of the batch. */
async function write(
  trx: DatabaseTransaction,
  projectId: string,
  { head, now }: { head: number; now: string },
  events: readonly JournalEvent[],
  keyUses: ReadonlyMap<string, KeyUse>,
): Promise<void> {
  const eventRows = events.map((event) => ({
    sequence: event.sequence,
    event_id: event.eventId,
    memory_id: event.memoryId,
    version: event.version,
    type: event.type,
    data: event.data,
    actor: event.actor,
    correlation_id: event.correlationId,
    causation_id: event.causationId,
    traceparent: event.traceparent,
  }))
  const keyRows = [...keyUses].map(([key, use]) => ({
    idempotency_key: key,
    request_hash: use.hash.toString('hex'),
    memory_id: use.memoryId,
    version: use.version,
  }))
  await sql`
    with appended as (
      insert into events (project_id, sequence, event_id, memory_id, version, type, schema_version, data, recorded_at,
        actor, correlation_id, causation_id, traceparent)
      select ${projectId}, sequence, event_id, memory_id, version, type, ${SCHEMA_VERSION}::int, data, ${now}::timestamptz,
        actor, correlation_id, causation_id, traceparent
      from jsonb_to_recordset(${JSON.stringify(eventRows)}::jsonb) as given(sequence bigint, event_id uuid,
        memory_id uuid, version int, type text, data jsonb, actor text, correlation_id text, causation_id text,
        traceparent text)
    ), keys as (
      insert into idempotency_keys (project_id, idempotency_key, request_hash, memory_id, version)
      select ${projectId}, idempotency_key, decode(request_hash, 'hex'), memory_id, version
      from jsonb_to_recordset(${JSON.stringify(keyRows)}::jsonb) as given(idempotency_key text, request_hash text,
        memory_id uuid, version int)
    )
    update journal_heads set sequence = ${head + events.length}, last_recorded_at = ${now}
    where project_id = ${projectId}`.execute(trx)
}
