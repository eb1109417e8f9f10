import { LimitExceededError, type LimitName } from '@daybook/memory/errors'

/**
 * Postgres error classes that are not about the statement: connection, resources, operator intervention,
 * system, and transactions that may be retried.
 */
const PASSING_CLASSES = new Set(['08', '53', '55', '57', '58', '40', 'XX'])

/** "No such host" counts too: the names of a cluster's services come and go with the services. */
const PASSING_SYSTEM_CODES = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ENOENT',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
  'ENOTFOUND',
])

/**
 * System calls of sockets. Node uses the same codes elsewhere: a client's aborted upload is an ECONNRESET
 * without a system call, a missing file an ENOENT of `open`.
 */
const OF_CONNECTIONS = new Set(['connect', 'read', 'write', 'getaddrinfo', 'shutdown'])

const PASSING_MESSAGES =
  /connection (terminated|ended|timeout)|socket disconnected before secure TLS|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|cannot use a pool after|driver has already been destroyed/i

/** How PGlite and clients say it without a code. */
const DISK_FULL_MESSAGES = /no space left on device|disk (is )?full/i

/**
 * Data corrupted, index corrupted, no such file: a page whose checksum does not fit, or a file that is gone or too short. The
 * embedded database has checksums, a server has them unless its administrator left them out.
 */
const DAMAGED = new Set(['XX001', 'XX002', '58P01'])

/** What Postgres names then: mostly a file, else an index or a table of long values. */
export const DAMAGED_FILE = /"(?:base\/\d+|global|pg_tblspc\/(?<tablespace>\d+)\/[^"]+)\/(?<file>\d+)[^"/]*"/u

export const DAMAGED_NAME = /index "(?<index>[^"]+)"|(?<toast>pg_toast_\d+)/u

/** Postgres' error about a damaged file. */
export interface DamageError extends Error {
  /** The table that the file belongs to, once somebody has looked. */
  table?: string | undefined
}

/** The error about a damaged file that an error is, or was caused by; null for others. */
export function damageOf(error: unknown): DamageError | null {
  if (!(error instanceof Error)) return null
  const { code } = error as { code?: unknown }
  const isDamage =
    DAMAGED.has(String(code)) && (DAMAGED_FILE.test(error.message) || DAMAGED_NAME.test(error.message))
  return isDamage ? error : damageOf(error.cause)
}

/** Whether the database's disk is full. An operator must make room; trying again does not help. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return code === '53100' || code === 'ENOSPC' || DISK_FULL_MESSAGES.test(error.message)
}

/** Whether the database takes no writes: the embedded one on a full disk, or a server that is a standby. */
export const isReadOnly = (error: unknown): boolean =>
  error instanceof Error && (error as { code?: unknown }).code === '25006'

/** Whether a statement was ended because it took longer than its session allows. It changed nothing. */
export function isStatementTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (error as { code?: unknown }).code === '57014' && /statement timeout/u.test(error.message)
}

/** Whether an error means that the database is unavailable now, not that the statement is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every(isDatabaseUnavailable)
  if (isDiskFull(error) || isReadOnly(error)) return true
  // A timeout is mostly about the statement: a caller that retried until it succeeds might never end.
  if (isStatementTimeout(error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string') {
    if (PASSING_SYSTEM_CODES.has(code) && typeof syscall === 'string') return OF_CONNECTIONS.has(syscall)
    if (code.length === 5) return PASSING_CLASSES.has(code.slice(0, 2))
  }
  return PASSING_MESSAGES.test(error.message)
}

/** The message for people about such an error: what to do, and whether they can do it. */
export function whyUnavailable(error: unknown): string {
  if (isStatementTimeout(error))
    return 'The database took longer for this than DAYBOOK_STATEMENT_TIMEOUT allows, so it was cancelled: ask for less, or try again when the database is less busy'
  const damage = damageOf(error)
  if (damage !== null)
    return `A file of the database is damaged${damage.table === undefined ? '' : `, of the table ${damage.table}`} (${damage.message}). What follows from the journal is made again by itself; the daemon's log says what was done, and docs/failures.md how to restore the rest`
  if (isReadOnly(error))
    return 'The database only reads now, because its disk is full, or it is a standby: make room there, or connect to the primary, and try again'
  return isDiskFull(error)
    ? "The database's disk is full, so nothing can be written: make room there, and try again"
    : 'The database cannot be reached now: try again in a moment'
}

/** No such table, column or schema. */
const NOT_THERE = new Set(['42P01', '42703', '3F000'])

/** Whether an error means that the tables differ from those that the statement was written for. */
export const isRelationMissing = (error: unknown): boolean =>
  error instanceof Error && NOT_THERE.has(String((error as { code?: unknown }).code))

/** The limit of a project that a statement would have exceeded (`count_usage`); null for other errors. */
export function exceededLimit(error: unknown): LimitExceededError | null {
  const { constraint, detail } = (error ?? {}) as { constraint?: unknown; detail?: unknown }
  if (constraint !== 'project_limit' || typeof detail !== 'string') return null
  const [limit, most] = detail.split(' ')
  return new LimitExceededError(limit as LimitName, Number(most), { cause: error })
}

/**
 * An error's message as a table accepts it: at most 2,000 characters. A message may quote anything. One that
 * the database refuses must not prevent recording the failure.
 */
export const storableError = (message: string): string =>
  message.slice(0, 2_000).replaceAll('\u0000', ' ').toWellFormed()
