/** The window of the rate, in milliseconds: long enough to be steady, short enough to show a change. */
const WINDOW_MS = 5_000
/** Samples closer together than this give no rate yet, in milliseconds. */
const LEAST_MS = 400

/** Measures how fast a count grows. */
export interface RateMeter {
  /**
   * Adds a sample. If the count goes back, the meter starts over.
   * @param now in milliseconds, of a monotonic clock
   */
  add(done: number, now: number): void
  /** The rate over the last seconds; null while it is not known. */
  perSecond(now: number): number | null
}

/** Creates a meter without samples. */
export function createRateMeter(): RateMeter {
  let samples: { readonly done: number; readonly at: number }[] = []
  return {
    add(done, now) {
      if (done < (samples.at(-1)?.done ?? 0)) samples = []
      samples.push({ done, at: now })
      // Keep one sample from before the window, so that work that comes in leaps has a rate too.
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

/** The seconds until `done` reaches `total`; null if that cannot be told. */
export function secondsLeft(done: number, total: number | null, perSecond: number | null): number | null {
  if (total === null || perSecond === null || perSecond <= 0) return null
  return Math.max(0, total - done) / perSecond
}
