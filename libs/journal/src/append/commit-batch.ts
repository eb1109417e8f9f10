import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import type { LinkedEvent } from '@daybook/memory/events'
import { WRITER_VERSION } from '@daybook/postgres/compatibility'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import {
  damageOf,
  exceededLimit,
  isDatabaseUnavailable,
  isDiskFull,
  isReadOnly,
  whyUnavailable,
} from '@daybook/postgres/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { ChainedEvent } from '../chain/check-chain.ts'
import type { AppendOutcome, AppendRequest } from './append-request.ts'
import { dependsOnOthers, emptyContext, type KeyUse, lockProject, readContext } from './batch-context.ts'
import { type DecidedBatch, decideBatch } from './decide-batch.ts'
import { CLOCK_WHEN_ASKED, type KnownHead } from './known-head.ts'

/** What a batch came to. */
export interface CommittedBatch {
  readonly outcomes: readonly AppendOutcome[]
  readonly events: readonly LinkedEvent[]
  /**
   * When the event before was recorded, if that is so far ahead of the clock that these got an earlier time;
   * else null.
   */
  readonly setBackFrom: string | null
  /**
   * The journal's end now; null if the batch wrote no event, or in the embedded database. Appends in one
   * statement gain little there, and a connection that breaks leaves open whether they are committed, where a
   * broken `begin` leaves no doubt.
   */
  readonly head: KnownHead | null
}

/**
 * Decides and commits requests in one transaction. It takes the project's lock before it reads anything that
 * decisions depend on, and before the first write. So sequences have no gaps and become visible in order, and
 * no decision uses a state that another gateway is just replacing.
 *
 * @returns one outcome per request, and the events that are now committed
 * @throws CommitUnknown if it is not known whether they are committed
 */
export async function commitBatch(
  { db, projectId }: ProjectScope,
  requests: readonly AppendRequest[],
): Promise<CommittedBatch> {
  let decided = false
  const committing = db.transaction().execute(async (trx) => {
    const askedAt = performance.now()
    const { now, clockMs, setBackFrom, flushes, ...head } = await lockProject(trx, projectId)
    const context = await readContext(trx, projectId, requests)
    const { rows, events, newKeyUses, outcomes } = decideBatch(requests, context, { projectId, head, now })
    if (events.length > 0 || newKeyUses.size > 0) {
      const { sequence, hash } = events.at(-1) ?? head
      await writeEvents(trx, projectId, rows, newKeyUses, { sequence, hash, recordedAt: now })
    }
    decided = true
    const last = events.at(-1)
    return {
      outcomes,
      events,
      setBackFrom: last === undefined ? null : setBackFrom,
      head:
        last === undefined || !flushes
          ? null
          : {
              sequence: last.sequence,
              hash: last.hash,
              epoch: head.epoch,
              recordedAt: now,
              clockMs,
              askedAt,
            },
    }
  })
  return committing.catch((error: unknown) => {
    // Only COMMIT follows the last statement, so only COMMIT can have failed.
    throw decided && isCommitUnknown(error) ? new CommitUnknown(error) : error
  })
}

/** COMMIT was sent, but its outcome is unknown: the connection broke, or the server went down meanwhile. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('it is not known whether the transaction was committed', { cause })
    this.name = new.target.name
  }
}

/**
 * Error classes that Postgres returns for a COMMIT that it rolled back: data, constraints, transaction state,
 * serialization, rules. (40003 says itself that the completion is unknown.)
 */
const ROLLED_BACK = /^(?:22|23|25|40(?!003)|42|44|P0)/u

/** Whether an error of COMMIT leaves its outcome unknown. */
function isCommitUnknown(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return !(typeof code === 'string' && code.length === 5 && ROLLED_BACK.test(code))
}

/**
 * Whether an error of a statement that commits itself leaves its outcome unknown. An error that does not end
 * the session (a full disk, a time limit) rolled it back, whatever its class. Other severities, which the
 * server translates, are judged like those of COMMIT.
 */
function isStatementUnknown(error: unknown): boolean {
  const { severity, code } = (error ?? {}) as { severity?: unknown; code?: unknown }
  return isCommitUnknown(error) && !(severity === 'ERROR' && code !== '40003')
}

/**
 * The error for callers whose requests were not committed, or may not have been. A request with an
 * idempotency key may be sent again as it is. Without a key, that could remember something twice, so the
 * message says what to do instead.
 */
export function appendFailure(error: unknown, requests: readonly AppendRequest[]): unknown {
  if (!(error instanceof CommitUnknown)) {
    const limit = exceededLimit(error)
    if (limit !== null) return limit
    if (!isDatabaseUnavailable(error)) return error
    if (isDiskFull(error) || isReadOnly(error) || damageOf(error) !== null)
      return new UnavailableError(whyUnavailable(error), { cause: error })
    return new UnavailableError(
      'The journal cannot be reached now, and nothing was written: try again in a moment',
      {
        cause: error,
      },
    )
  }
  if (requests.every(({ idempotencyKey }) => idempotencyKey != null))
    return new UnavailableError(
      'The connection to the journal broke, and it is not known whether this was committed: send it again with the same idempotency key, and it takes effect once',
      { cause: error },
    )
  return new DaybookError(
    'OUTCOME_UNKNOWN',
    'The connection to the journal broke, and it is not known whether this was committed: look before you repeat it. With an idempotency key, a request can be repeated safely',
    { cause: error },
  )
}

/**
 * Whether the requests may be decided before the lock is taken: new memories depend on nothing in the journal
 * but its end, and on what was in it up to there. (Their keys must be unused; the statement checks that.)
 */
export const needOnlyTheHead = (requests: readonly AppendRequest[]): boolean =>
  requests.every(({ command }) => command.type === 'remember')

/**
 * How far the time of new events may be from the database's clock, in milliseconds. It is estimated from when
 * that clock was last seen, usually to a millisecond. Beyond this, it is read under the lock.
 */
const CLOCK_MS = 1_000

/** Null fields: nothing was written. */
interface AppendedRow {
  readonly moved: boolean
  readonly clockMs: number
}

/**
 * Commits requests in one statement and one round trip, if the journal still ends where this process thinks.
 * With 16 clients that allows 1.36 times as many appends as the four round trips of `commitBatch`
 * (docs/measurements.md#appends-in-one-statement).
 *
 * The statement first moves the journal's end, but only from the known sequence and hash. It waits for the
 * row's lock like every append, then compares the row as the append before it left it. Where it moved the end,
 * it holds the lock and inserts the events; else it inserts nothing. So the events follow without a gap, and
 * what they were decided on is still true.
 *
 * @returns null if nothing was committed: the caller goes the locked way, which also finds the reason
 * @throws CommitUnknown if it is not known whether they are committed
 */
export async function commitAtKnownHead(
  { db, projectId }: ProjectScope,
  requests: readonly AppendRequest[],
  known: KnownHead,
): Promise<CommittedBatch | null> {
  const estimate = new Date(known.clockMs + performance.now() - known.askedAt).toISOString()
  const now = estimate > known.recordedAt ? estimate : known.recordedAt
  // Read before the statement, not under the lock: where the journal moves meanwhile, nothing is committed.
  const context = requests.some(dependsOnOthers) ? await readContext(db, projectId, requests) : emptyContext()
  const decided = decideBatch(requests, context, { projectId, head: known, now })
  const last = decided.events.at(-1)
  if (last === undefined) return null

  let askedAt = 0
  const appending = db.connection().execute(async (connection) => {
    askedAt = performance.now()
    return statement(projectId, decided, known, now).execute(connection)
  })
  const result = await appending.catch((error: unknown) => {
    // Without a connection nothing was sent. What the server rolled back is tried the locked way, which says
    // what is wrong.
    if (askedAt === 0) throw error
    if (isStatementUnknown(error)) throw new CommitUnknown(error)
    return null
  })
  const row = result?.rows[0]
  if (row?.moved !== true) return null
  const { sequence, hash } = last
  const head = { sequence, hash, epoch: known.epoch, recordedAt: now, clockMs: row.clockMs, askedAt }
  return { outcomes: decided.outcomes, events: decided.events, setBackFrom: null, head }
}

function statement(
  projectId: string,
  { rows, events, newKeyUses }: DecidedBatch,
  known: KnownHead,
  now: string,
): RawBuilder<AppendedRow> {
  const end = events.at(-1) ?? known
  const isMoved = sql<SqlBool>`exists (select from moved)`
  const keys = [...newKeyUses.keys()]
  // Another process may use a key at this moment without an event, so without moving the end: then the insert
  // of the key fails, and with it the statement.
  const areUnused =
    keys.length === 0
      ? sql`true`
      : sql`not exists (
          select from idempotency_keys where project_id = ${projectId} and idempotency_key = any(${keys}::text[]))`
  return sql<AppendedRow>`
    with moved as (
      update journal_heads set sequence = ${end.sequence}, hash = decode(${end.hash}, 'hex'),
        last_recorded_at = ${now}::timestamptz
      where project_id = ${projectId} and sequence = ${known.sequence} and hash = decode(${known.hash}, 'hex')
        and epoch = ${known.epoch} and not followed
        and last_recorded_at <= ${now}::timestamptz
        and abs(extract(epoch from clock_timestamp() - ${now}::timestamptz)) * 1000 < ${CLOCK_MS}
        and (select minimum_writer from compatibility) <= ${WRITER_VERSION}
        and ${areUnused}
      returning 1
    ), appended as (${insertEvents(projectId, rows, isMoved)}),
      keys as (${insertKeyUses(projectId, newKeyUses, isMoved)})
    select ${isMoved} as moved, ${CLOCK_WHEN_ASKED} as "clockMs"`
}

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
function insertEvents(
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
function insertKeyUses(
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
