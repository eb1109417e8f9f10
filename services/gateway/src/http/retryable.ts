/** Codes of errors whose request may be sent again as it is. */
export const RETRYABLE: ReadonlySet<string> = new Set(['UNAVAILABLE', 'BEHIND'])
