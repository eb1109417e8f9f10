/** What went wrong, in a word that clients may switch on. */
export type ErrorCode =
  | 'VALIDATION'
  | 'VERSION_CONFLICT'
  | 'IDEMPOTENCY_CONFLICT'
  | 'FORGOTTEN'
  | 'NOT_FOUND'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'BEHIND'
  | 'DIVERGED'
  | 'UNAVAILABLE'
  | 'CONFIGURATION'
  | 'LOCKED'
  | 'EMBEDDING'
  | 'CORRUPT_EVENT'
  | 'BUSY'
  | 'REFUSED'
  | 'TOO_MANY_SUBSCRIPTIONS'
  | 'PARKED'
  | 'OUTCOME_UNKNOWN'
  | 'DEADLINE'
  | 'RESPONSE_TOO_LARGE'
  | 'CORRUPT_JOURNAL'
  | 'INVALID_EXPORT'
  | 'IMPORT_CONFLICT'

/**
 * An expected failure: its message is written for the person or agent who caused it and may be shown to them.
 * Every other error is a fault of ours and is masked at the edge.
 */
export class DaybookError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** Input that cannot be accepted. `field` is the path as the caller wrote it, such as `content.stash.name`. */
export class ValidationError extends DaybookError {
  readonly field: string
  readonly #problem: string

  constructor(field: string, problem: string) {
    super('VALIDATION', `${field} ${problem}`)
    this.field = field
    this.#problem = problem
  }

  /** The same, where the input was part of a larger one: `inputs.3` for the fourth of many. */
  within(path: string): ValidationError {
    return new ValidationError(`${path}.${this.field}`, this.#problem)
  }
}

/** The memory, or the idempotency key, is not in the state that the caller assumed. */
export class ConflictError extends DaybookError {
  /** The memory's version now; null where the conflict is not about a version. */
  readonly currentVersion: number | null

  constructor(
    code: 'VERSION_CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'FORGOTTEN',
    message: string,
    currentVersion: number | null,
  ) {
    super(code, message)
    this.currentVersion = currentVersion
  }
}

/** There is no such thing in the caller's project. Another project's memory is reported in the same words. */
export class NotFoundError extends DaybookError {
  /** @param where where it was looked for; what belongs to no project is looked for in this Daybook */
  constructor(what: string, where: 'project' | 'Daybook' = 'project') {
    super('NOT_FOUND', `${what} was not found in this ${where}`)
  }
}

/**
 * The caller has come to a place that the journal does not have: there is no event at that sequence, or another one, since the
 * database lost its last moments. Asking again is in vain.
 */
export class DivergedError extends DaybookError {
  /** From where to go on: up to there, as far as is known, the caller and the journal have the same. */
  readonly lastCommon: number | null
  /** The journal's last sequence. */
  readonly head: number

  constructor(
    what: string,
    { sequence, head, lastCommon }: { sequence: number; head: number; lastCommon: number | null },
  ) {
    super(
      'DIVERGED',
      `${what} ${sequence} is not in the journal (any more), whose last sequence is ${head}: the database lost its last moments and went on otherwise. ${
        lastCommon === null
          ? 'Go back to an earlier event whose hash you know, or read the journal again from 0'
          : `Forget what you got after ${lastCommon} and go on from there`
      }; what was acknowledged after it may have to be remembered again`,
    )
    this.lastCommon = lastCommon
    this.head = head
  }
}

/** A part that is needed does not answer now. Trying again later may succeed; with an idempotency key it is safe. */
export class UnavailableError extends DaybookError {
  constructor(message: string, options?: ErrorOptions) {
    super('UNAVAILABLE', message, options)
  }
}
