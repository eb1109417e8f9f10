import { backoffDelay } from '@daybook/runtime/backoff'
import { DaybookClientError } from '../client-error.ts'

/** The first wait is at most `firstMs`, each next one twice as long, none longer than `maxMs`. */
const BACKOFF = { firstMs: 200, maxMs: 2_000 }

/**
 * Decides after each failure how long to wait before sending again: as long as Daybook asks, else longer each
 * time. It gives up where the failure would repeat itself, or where the wait would end after `forMs`.
 * @param forMs milliseconds since now in which a further attempt may begin; 0: none
 */
export function waitAfter(forMs: number): (error: unknown, attempt: number) => number | null {
  const end = performance.now() + forMs
  return (error, attempt) => {
    if (!(error instanceof DaybookClientError) || !error.retryable) return null
    const wait = Math.max(error.retryAfterMs ?? 0, backoffDelay(attempt - 1, BACKOFF))
    return performance.now() + wait > end ? null : wait
  }
}
