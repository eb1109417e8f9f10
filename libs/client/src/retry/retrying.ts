import { pause } from '@daybook/runtime/backoff'

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
