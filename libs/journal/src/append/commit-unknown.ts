import { DaybookError, UnavailableError } from '@daybook/memory/errors'
import { isDatabaseUnavailable, isDiskFull, whyUnavailable } from '@daybook/postgres/errors'
import type { AppendRequest } from './append-request.ts'

/** COMMIT was sent, and what became of it is not known: the connection broke, or the server went down over it. */
export class CommitUnknown extends Error {
  constructor(cause: unknown) {
    super('it is not known whether the transaction was committed', { cause })
    this.name = new.target.name
  }
}

/**
 * Classes of errors with which Postgres answers a COMMIT that it has rolled back: data, constraints, the transaction's state,
 * serialization, rules. (40003 says itself that the completion is unknown.)
 */
const ROLLED_BACK = /^(?:22|23|25|40(?!003)|42|44|P0)/u

/** Whether an error that COMMIT ended with leaves open what became of it. */
export function isCommitUnknown(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  return !(typeof code === 'string' && code.length === 5 && ROLLED_BACK.test(code))
}

/**
 * What callers are told of requests that were not committed, or of which that is not known. With a key of its own each may be
 * sent again as it is; without one that could remember something twice, so it is said what to do instead.
 */
export function appendFailure(error: unknown, requests: readonly AppendRequest[]): unknown {
  if (!(error instanceof CommitUnknown)) {
    if (!isDatabaseUnavailable(error)) return error
    if (isDiskFull(error)) return new UnavailableError(whyUnavailable(error), { cause: error })
    return new UnavailableError(
      'The journal cannot be reached now, and nothing was written: ask again in a moment',
      {
        cause: error,
      },
    )
  }
  if (requests.every(({ idempotencyKey }) => idempotencyKey != null))
    return new UnavailableError(
      'The connection to the journal broke, and it is not known whether this was committed: ask again with the same idempotency key, it takes effect once',
      { cause: error },
    )
  return new DaybookError(
    'OUTCOME_UNKNOWN',
    'The connection to the journal broke, and it is not known whether this was committed: look before you repeat it, or send an idempotency key with each request, with which it can be repeated safely',
    { cause: error },
  )
}
