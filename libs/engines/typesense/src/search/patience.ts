/** Decides how long a search may wait for a server, from the server's usual answer times. */
export interface Patience {
  /** The milliseconds that the next search may wait in total. */
  allowedMs(): number
  /** Records how long a call took, or how long it was waited for before it was given up. */
  took(milliseconds: number): void
}

/** The number of calls remembered. */
const REMEMBERED = 64
/** The number of calls after which the usual time is known. */
const KNOWN_FROM = 8
/**
 * The allowed time as a multiple of the 95th percentile: enough for the three calls of a search, and for a
 * slow moment.
 */
const FACTOR = 4

/**
 * Allows four times the 95th percentile of the last 64 calls, but at least a quarter of `mostMs` and at most
 * all of it. Until eight calls are known it allows `mostMs`. A call that was given up counts with the time
 * that it was waited for, so a server that becomes slower soon gets more time. A quarter is the minimum
 * because the usual time of an idle server (5 ms) tells nothing about a slow answer on a busy machine.
 */
export function createPatience(mostMs: number): Patience {
  const times: number[] = []
  let next = 0
  return {
    allowedMs() {
      if (times.length < KNOWN_FROM) return mostMs
      const sorted = times.toSorted((one, other) => one - other)
      const usual = sorted[Math.ceil(sorted.length * 0.95) - 1] ?? mostMs
      return Math.min(mostMs, Math.max(mostMs / 4, FACTOR * usual))
    },
    took(milliseconds) {
      times[next] = milliseconds
      next = (next + 1) % REMEMBERED
    },
  }
}
