/** Seconds that are looked back on: long enough to be steady, short enough to see a change. */
const WINDOW_MS = 5_000
/** Two numbers that are closer than this say nothing of a rate yet, in milliseconds. */
const LEAST_MS = 400

/** How fast a count grows. */
export interface RateMeter {
  /** @param now in milliseconds, of a clock that only goes forward. A count that goes back begins anew. */
  add(done: number, now: number): void
  /** Over the last seconds; null while that is not known. */
  perSecond(now: number): number | null
}

export function createRateMeter(): RateMeter {
  let samples: { readonly done: number; readonly at: number }[] = []
  return {
    add(done, now) {
      if (done < (samples.at(-1)?.done ?? 0)) samples = []
      samples.push({ done, at: now })
      // One from before the window stays, so that work that comes in leaps has a rate too.
      while ((samples[1]?.at ?? now) < now - WINDOW_MS) samples.shift()
    },
    perSecond(now) {
      const [first] = samples
      const last = samples.at(-1)
      if (first === undefined || last === undefined || now - first.at < LEAST_MS) return null
      return ((last.done - first.done) * 1_000) / (now - first.at)
    },
  }
}

/** Null where it cannot be told. */
export function secondsLeft(done: number, total: number | null, perSecond: number | null): number | null {
  if (total === null || perSecond === null || perSecond <= 0) return null
  return Math.max(0, total - done) / perSecond
}
