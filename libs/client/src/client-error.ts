/** Why a call failed. */
interface Reason {
  /** The path of the wrong input, such as `input.content.note.text`; null if no input is wrong. */
  readonly field: string | null
  /** Whether the same call may succeed later. */
  readonly retryable: boolean
  /** Milliseconds after which it may; null if Daybook did not say. */
  readonly retryAfterMs: number | null
  /** Whether the request may have been carried out, so that only its answer was lost. */
  readonly mayHaveArrived: boolean
  /** What else the API said, such as `currentVersion` of a conflict, or `limit` and `most`. */
  readonly details: Readonly<Record<string, unknown>>
}

/**
 * A call failed. `code` is a word to switch on. Those of the API are passed on: VALIDATION, NOT_FOUND,
 * VERSION_CONFLICT, IDEMPOTENCY_CONFLICT, KEY_EXISTS, FORGOTTEN, LIMIT_EXCEEDED, RATE_LIMITED, UNAUTHENTICATED,
 * FORBIDDEN, QUARANTINED, BEHIND, PARKED, DIVERGED, UNAVAILABLE, BUSY, INTERNAL, … The client adds:
 *
 * - UNREACHABLE: no answer came (nothing listens, the connection broke, or the time was over)
 * - NOT_DAYBOOK: what answers at the address is something else
 * - BODY_TOO_LARGE: a proxy or the gateway refused the request for its length
 * - REFUSED: refused without a code
 */
export class DaybookClientError extends Error implements Reason {
  readonly code: string
  readonly field: string | null
  readonly retryable: boolean
  readonly retryAfterMs: number | null
  readonly mayHaveArrived: boolean
  readonly details: Readonly<Record<string, unknown>>

  constructor(
    code: string,
    message: string,
    {
      field = null,
      retryable = false,
      retryAfterMs = null,
      mayHaveArrived = false,
      details = {},
      cause,
    }: Partial<Reason> & ErrorOptions = {},
  ) {
    super(message, cause === undefined ? {} : { cause })
    this.name = 'DaybookClientError'
    this.code = code
    this.field = field
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
    this.mayHaveArrived = mayHaveArrived
    this.details = details
  }
}
