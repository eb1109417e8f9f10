/** Codes of errors whose request may be sent again as it is. Not OUTCOME_UNKNOWN: without a key it might take effect twice. */
export const RETRYABLE: ReadonlySet<string> = new Set(['UNAVAILABLE', 'BEHIND', 'BUSY'])
