/** How long a search may wait for a server, by how long that server usually takes. */
export interface Patience {
  /** Milliseconds for the next search in total. */
  allowedMs(): number
  /** A call took so long, or was given up after so long. */
  took(milliseconds: number): void
}

/** Calls that are remembered. */
const REMEMBERED = 64
/** Calls from which on is known what is usual. */
const KNOWN_FROM = 8
/** So many times what 95 of 100 calls take is enough for the three calls of a search, and for a bad moment. */
const FACTOR = 4

/**
 * Four times what 95 of 100 of the last 64 calls took, between a quarter of `mostMs` and all of it; all of it until eight calls
 * are known. A call that was given up counts with the time that it was waited for: a server that has become slower is soon
 * waited for longer, until `mostMs`. It is never less than a quarter, as the usual time of an idle server (5 ms) says nothing of what
 * a busy machine may do to one answer.
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
