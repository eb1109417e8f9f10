/**
 * Postgres error classes that say nothing about the statement: connection, resources, operator intervention, system,
 * and transactions that may be run again.
 */
const PASSING_CLASSES = new Set(['08', '53', '55', '57', '58', '40', 'XX'])
/** No such host counts too: names of a cluster's services come and go with them. */
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
 * What a socket was at. Node gives the same codes to other things: a client's aborted upload is an ECONNRESET without one, a
 * missing file an ENOENT of `open`.
 */
const OF_CONNECTIONS = new Set(['connect', 'read', 'write', 'getaddrinfo', 'shutdown'])
const PASSING_MESSAGES =
  /connection (terminated|ended|timeout)|socket disconnected before secure TLS|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|cannot use a pool after|driver has already been destroyed/i

/** As PGlite and clients put it, where there is no code. */
const DISK_FULL_MESSAGES = /no space left on device|disk (is )?full/i

/** Whether the database's disk is full: an operator makes room, trying again does not. */
export function isDiskFull(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  return code === '53100' || code === 'ENOSPC' || DISK_FULL_MESSAGES.test(error.message)
}

/** Whether a statement was ended because it took longer than its session allows. What it would have changed is as it was. */
export function isStatementTimeout(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  return (error as { code?: unknown }).code === '57014' && /statement timeout/u.test(error.message)
}

/** Whether an error means that the database is unavailable now, rather than that the statement is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.every(isDatabaseUnavailable)
  if (isDiskFull(error)) return true
  // It says much of the statement: whoever waited for it to be possible again might wait for good.
  if (isStatementTimeout(error)) return false
  const { code, syscall } = error as { code?: unknown; syscall?: unknown }
  if (typeof code === 'string') {
    if (PASSING_SYSTEM_CODES.has(code) && typeof syscall === 'string') return OF_CONNECTIONS.has(syscall)
    if (code.length === 5) return PASSING_CLASSES.has(code.slice(0, 2))
  }
  return PASSING_MESSAGES.test(error.message)
}

/** What people are told of an error that means it: what to do, and whether that is theirs. */
export function whyUnavailable(error: unknown): string {
  if (isStatementTimeout(error))
    return 'The database took longer over this than DAYBOOK_STATEMENT_TIMEOUT allows, and it was given up: ask for less, or try again when the database is less busy'
  return isDiskFull(error)
    ? "The database's disk is full, so nothing can be written: make room there, and try again"
    : 'The database cannot be reached now: try again in a moment'
}

/** No such table, no such column, no such schema. */
const NOT_THERE = new Set(['42P01', '42703', '3F000'])

/** Whether an error means that the tables are others than the statement was written for. */
export const isRelationMissing = (error: unknown): boolean =>
  error instanceof Error && NOT_THERE.has(String((error as { code?: unknown }).code))
