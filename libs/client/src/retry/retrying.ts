import { backoffDelay, pause } from '@daybook/runtime/backoff'
import { DaybookClientError } from '../client-error.ts'

/**
 * Sends until it succeeds, or until nothing is to be gained by sending again.
 * @param nextWaitMs how long to wait after an attempt (1, 2, …) that failed, in milliseconds; null gives up
 * @throws what the last attempt threw; the signal's reason
 */
export async function retrying<Result>(
  send: () => Promise<Result>,
  nextWaitMs: (error: unknown, attempt: number) => number | null,
  signal?: AbortSignal,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await send()
    } catch (error) {
      const wait = signal?.aborted === true ? null : nextWaitMs(error, attempt)
      if (wait === null) throw error
      await pause(wait, signal)
      signal?.throwIfAborted()
    }
  }
}

/** A new key, for one change. Browsers have `randomUUID` only where the page came over TLS. */
export function newIdempotencyKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  return `client:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

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
