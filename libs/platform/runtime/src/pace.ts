import { pause } from './backoff.ts'

/** How many times slower than at its best work goes before it steps back: two that share a core are each twice as slow. */
const SLOW = 2
/** The most that it rests, as a multiple of what the piece of work took, and in milliseconds. */
const LONGEST_REST = 4
const LONGEST_REST_MS = 1_000
/** Every piece lets the best be so much slower, so that one lucky measurement does not count for ever. */
const FORGET = 1.002

/** Lets long work step back while others need the machine. */
export interface Pace {
  /**
   * Does a piece of the work, and rests after it the longer, the more slowly it went compared with the best so far. Alone it
   * never rests; where others are at work too, it leaves most of the machine to them.
   *
   * @param units how much the piece is, such as its rows; pieces are compared by the time of one
   */
  step<T>(units: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

/**
 * Measures contention where it is felt: in how long the same work takes. That holds for whatever is short, processors, disks or the
 * one connection of an embedded database, on this machine or another. It is the idea of TCP Vegas (Brakmo and Peterson, 1995):
 * what takes longer than the best so far waits behind others.
 *
 * @param clock for tests: milliseconds, and how to wait
 */
export function createPace({
  now = () => performance.now(),
  rest = (ms: number, signal?: AbortSignal): Promise<void> => pause(ms, signal),
} = {}): Pace {
  let best = Number.POSITIVE_INFINITY
  return {
    async step(units, work, signal) {
      const started = now()
      const result = await work()
      const took = now() - started
      const each = took / Math.max(units, 1)
      best = Math.min(each, best * FORGET)
      const times = best > 0 ? each / best : 1
      if (times > SLOW)
        await rest(Math.min(took * Math.min(times - 1, LONGEST_REST), LONGEST_REST_MS), signal)
      return result
    },
  }
}
