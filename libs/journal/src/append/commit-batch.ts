import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import type { LinkedEvent } from '@daybook/memory/events'
import {
  damageOf,
  exceededLimit,
  isDatabaseUnavailable,
  isDiskFull,
  isReadOnly,
  whyUnavailable,
} from '@daybook/postgres/errors'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { AppendOutcome, AppendRequest } from './append-request.ts'
import { lockProject, readContext } from './batch-context.ts'
import { decideBatch } from './decide-batch.ts'
import type { KnownHead } from './known-head.ts'
import { writeEvents } from './write-events.ts'

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
export function isStatementUnknown(error: unknown): boolean {
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
