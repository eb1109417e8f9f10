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
const PASSING_MESSAGES =
  /connection (terminated|ended|timeout)|timeout exceeded when trying to connect|client has encountered a connection error|not queryable|cannot use a pool after|driver has already been destroyed/i

/** Whether an error means that the database is not to be had now, rather than that the statement is wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const { code } = error as { code?: unknown }
  if (typeof code === 'string') {
    if (PASSING_SYSTEM_CODES.has(code)) return true
    if (code.length === 5) return PASSING_CLASSES.has(code.slice(0, 2))
  }
  return PASSING_MESSAGES.test(error.message)
}
