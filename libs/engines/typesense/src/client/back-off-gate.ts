import { backoffDelay } from '@daybook/runtime/backoff'
import { TypesenseUnavailableError } from './errors.ts'

/**
 * Respects a server that says "not now": after a call that found it unavailable, calls are refused here for a while,
 * longer each time it is found so again (250 ms, doubled up to 10 s). Otherwise every project that is behind would ask a
 * server that is drowning once a second.
 */
export interface BackOffGate {
  /** @throws TypesenseUnavailableError while it is closed */
  pass<T>(call: () => Promise<T>): Promise<T>
}

export function createBackOffGate({ firstMs = 250, maxMs = 10_000 } = {}): BackOffGate {
  let failures = 0
  let closed: { readonly until: number; readonly reason: string } | null = null
  return {
    async pass(call) {
      if (closed !== null && performance.now() < closed.until)
        throw new TypesenseUnavailableError(`${closed.reason}; it is left in peace for a moment`, false)
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
