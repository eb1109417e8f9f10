import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import {
  damageOf,
  exceededLimit,
  isDatabaseUnavailable,
  isDiskFull,
  isReadOnly,
  whyUnavailable,
} from '@daybook/postgres/errors'
import type { AppendRequest } from './append-request.ts'

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
export function isCommitUnknown(error: unknown): boolean {
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
