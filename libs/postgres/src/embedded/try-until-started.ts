import { backoffDelay, pause } from '@daybook/runtime/backoff'

/**
 * A try takes half a second of a core, so one that cannot succeed soon becomes rare; not so rare that people wait for more than
 * seconds after they have made room on a full disk.
 */
export const TRYING = { firstMs: 100, maxMs: 10_000 }

/**
 * Tries until it succeeds or is aborted, ever less often: at last every 5 to 10 s.
 *
 * @param failures how many tries in a row were in vain before; after some, the first waits, too
 */
export async function tryUntilStarted(
  start: () => Promise<void>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
  failures = 0,
): Promise<void> {
  for (let failed = failures; ; failed += 1) {
    if (failed > 0) await pause(backoffDelay(failed - 1, TRYING), signal)
    if (signal.aborted) return
    try {
      return await start()
    } catch (error) {
      onFailure(error)
    }
  }
}
