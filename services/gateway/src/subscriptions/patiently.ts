import { isDatabaseUnavailable } from '@daybook/postgres/errors'
import { backoffDelay, pause } from '@daybook/runtime/backoff'

/** How long a subscription waits for a database that is unavailable before it ends, in milliseconds. */
export const PATIENCE_MS = 30_000

/**
 * Reads again while the database cannot be reached, at most 30 s: a restart or a failover of it is no reason to send every
 * subscriber away at once, who would all come back in the same moment.
 *
 * @throws what the last try failed with
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
