import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import { backoffDelay, pause } from '@daybook/runtime/backoff'

/** How long a subscription waits for an unavailable database before it ends, in milliseconds. */
export const PATIENCE_MS = 30_000

/**
 * Retries a read while the database cannot be reached, at most 30 s. A restart or failover should not
 * disconnect every subscriber, because all would reconnect in the same moment.
 *
 * @throws the error of the last try
 */
export async function patiently<T>(
  read: () => Promise<T>,
  ended: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const startedAt = performance.now()
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await read()
    } catch (error) {
      const spent = performance.now() - startedAt
      if (!isDatabaseUnavailable(error) || ended.aborted || spent >= patienceMs) throw error
      await pause(Math.min(backoffDelay(attempt, { maxMs: 1_000 }), patienceMs - spent), ended)
    }
  }
}
