/** What went wrong, as a word that clients may switch on. */
export type ErrorCode =
  | 'VALIDATION'
  | 'VERSION_CONFLICT'
  | 'IDEMPOTENCY_CONFLICT'
  | 'KEY_EXISTS'
  | 'NAME_TAKEN'
  | 'LIMIT_EXCEEDED'
  | 'FORGOTTEN'
  | 'NOT_FOUND'
  | 'UNAUTHENTICATED'
  | 'FORBIDDEN'
  | 'QUARANTINED'
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
  | 'TOO_MANY_STREAMS'
  | 'RATE_LIMITED'
  | 'PARKED'
  | 'OUTCOME_UNKNOWN'
  | 'DEADLINE'
  | 'RESPONSE_TOO_LARGE'
  | 'CORRUPT_JOURNAL'
  | 'INVALID_EXPORT'
  | 'IMPORT_CONFLICT'
  | 'PROJECT_DELETED'

/**
 * An expected failure. Its message is written for the person or agent who caused it, and may be shown to
 * them. Every other error is our own fault and is masked at the edge.
 */
export class DaybookError extends Error {
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = new.target.name
    this.code = code
  }
}

/** Input that is not acceptable. `field` is the path as the caller wrote it, such as `content.stash.name`. */
export class ValidationError extends DaybookError {
  readonly field: string
  readonly #problem: string

  constructor(field: string, problem: string) {
    super('VALIDATION', `${field} ${problem}`)
    this.field = field
    this.#problem = problem
  }

  /** The same error under the name that the caller gave the field. */
  renamed(field: string): ValidationError {
    return new ValidationError(field, this.#problem)
  }

  /** The same error for input that was part of a larger one: `inputs.3` for the fourth item of a list. */
  within(path: string): ValidationError {
    return new ValidationError(`${path}.${this.field}`, this.#problem)
  }
}

/** The memory, its key, or the idempotency key is not in the state that the caller assumed. */
export class ConflictError extends DaybookError {
  /** The memory's version now; null where the conflict is not about a version. */
  readonly currentVersion: number | null
  /** The plain id of the memory that an idempotency key or a key led to before; null for other conflicts. */
  readonly memoryId: string | null

  constructor(
    code: 'VERSION_CONFLICT' | 'IDEMPOTENCY_CONFLICT' | 'KEY_EXISTS' | 'NAME_TAKEN' | 'FORGOTTEN',
    message: string,
    currentVersion: number | null,
    memoryId: string | null = null,
  ) {
    super(code, message)
    this.currentVersion = currentVersion
    this.memoryId = memoryId
  }
}

/** The caller's project has no such thing. A memory of another project is reported in the same words. */
export class NotFoundError extends DaybookError {
  /**
   * @param where where the search took place; things that belong to no project are searched for in this
   * Daybook
   */
  constructor(what: string, where: 'project' | 'Daybook' = 'project') {
    super('NOT_FOUND', `${what} was not found in this ${where}`)
  }
}

/** The place that a caller is at, and what the journal has. */
export interface DivergedPlace {
  readonly sequence: number
  /** The journal's last sequence. */
  readonly head: number
  readonly lastCommon: number | null
  /** Whether the journal follows a home, whose events take the place of those that were written here offline. */
  readonly isCopy: boolean
}

/**
 * The caller is at a place that the journal does not have: no event has that sequence, or another event has
 * it now. Either the database lost its last moments, or, on a copy, the home's events took the place of a branch's.
 * Repeating the request does not help.
 */
export class DivergedError extends DaybookError {
  /** Where to go on from: up to there, as far as is known, caller and journal agree. Null if not known. */
  readonly lastCommon: number | null
  /** The journal's last sequence. */
  readonly head: number

  constructor(what: string, { sequence, head, lastCommon, isCopy }: DivergedPlace) {
    const why = isCopy
      ? 'events of the project’s home have taken the place of what was written here offline, which comes after them'
      : 'the database lost its last moments and continued with other events'
    const instead =
      lastCommon === null
        ? 'Go back to an earlier event whose hash you know, or read the journal again from 0'
        : `Forget what you got after ${lastCommon} and go on from there`
    const lost = isCopy ? '' : '; memories acknowledged after it may have to be remembered again'
    super(
      'DIVERGED',
      `${what} ${sequence} is not in the journal (any more), whose last sequence is ${head}: ${why}. ${instead}${lost}`,
    )
    this.lastCommon = lastCommon
    this.head = head
  }
}

/** A limit of a project, as the API calls it. */
export type LimitName = 'memories' | 'bytes' | 'requestsPerSecond' | 'queuedTexts'

/** What a person can do about it. */
const INSTEAD: Readonly<Record<LimitName, string>> = {
  memories: 'forget memories that are not needed',
  bytes: 'nothing new fits until it is raised, while forgetting still works',
  requestsPerSecond: 'send fewer at a time, or try again in a second',
  queuedTexts: 'wait until the embedder has caught up, and try again',
}

/** A project would exceed one of its limits; nothing was written. */
export class LimitExceededError extends DaybookError {
  readonly limit: LimitName
  readonly most: number

  constructor(limit: LimitName, most: number, options?: ErrorOptions) {
    super(
      'LIMIT_EXCEEDED',
      `The project has reached its limit ${limit} of ${most}: ${INSTEAD[limit]}, or let whoever runs Daybook raise it: daybook projects limits`,
      options,
    )
    this.limit = limit
    this.most = most
  }
}

/** A needed part does not answer now. Trying again later may succeed, and is safe with an idempotency key. */
export class UnavailableError extends DaybookError {
  constructor(message: string, options?: ErrorOptions) {
    super('UNAVAILABLE', message, options)
  }
}
