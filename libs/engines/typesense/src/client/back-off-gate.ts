import { backoffDelay } from '@daybook/runtime/backoff'
import { TypesenseUnavailableError } from './errors.ts'

/**
 * Backs off from a server that cannot take requests now. After a call that found it unavailable, further
 * calls are refused locally for a while: 250 ms, doubled with each such call up to 10 s. Otherwise every
 * project that is behind would send requests to an overloaded server once a second.
 */
export interface BackOffGate {
  /** Makes a call. @throws TypesenseUnavailableError while the gate is closed */
  pass<T>(call: () => Promise<T>): Promise<T>
}

/** Creates an open gate. */
export function createBackOffGate({ firstMs = 250, maxMs = 10_000 } = {}): BackOffGate {
  let failures = 0
  let closed: { readonly until: number; readonly reason: string } | null = null
  return {
    async pass(call) {
      if (closed !== null && performance.now() < closed.until)
        throw new TypesenseUnavailableError(
          `${closed.reason}; no more requests are sent to it for a moment`,
          false,
        )
      try {
        const answer = await call()
        failures = 0
        closed = null
        return answer
      } catch (error) {
        if (error instanceof TypesenseUnavailableError) {
          closed = {
            until: performance.now() + backoffDelay(failures, { firstMs, maxMs }),
            reason: error.message,
          }
          failures += 1
        }
        throw error
      }
    },
  }
}
