import { WRITER_VERSION } from '@daybook/postgres/compatibility'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { AppendRequest } from './append-request.ts'
import { dependsOnOthers, emptyContext, readContext } from './batch-context.ts'
import { type CommittedBatch, CommitUnknown, isStatementUnknown } from './commit-batch.ts'
import { type DecidedBatch, decideBatch } from './decide-batch.ts'
import { CLOCK_WHEN_ASKED, type KnownHead } from './known-head.ts'
import { insertEvents, insertKeyUses } from './write-events.ts'

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
