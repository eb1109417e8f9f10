/**
 * Codes of errors after which the same request may be sent again. OUTCOME_UNKNOWN is not among them: without
 * an idempotency key the request might take effect twice.
 */
export const RETRYABLE: ReadonlySet<string> = new Set(['UNAVAILABLE', 'BEHIND', 'BUSY', 'RATE_LIMITED'])
