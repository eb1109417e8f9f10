import { LRUCache } from 'lru-cache'

/** How fast a bucket fills, and how much it holds. */
export interface BucketSize {
  readonly perSecond: number
  /** What it begins with, and the most that it saves up. */
  readonly most: number
}

/** A token bucket for each key of a map, such as each API key or project. */
export interface TokenBuckets {
  /**
   * Takes so much, or nothing if less is there.
   * @returns 0 if it was taken; else the seconds after which it would be, if nothing else is taken
   */
  take(key: string, amount: number, size: BucketSize): number
}

/** Buckets kept at a time. One that nobody has used for longest starts again full, as it would be by then. */
const KEYS = 10_000

/** @param now milliseconds, for tests */
export function createTokenBuckets(now: () => number = () => performance.now()): TokenBuckets {
  const buckets = new LRUCache<string, { readonly left: number; readonly at: number }>({ max: KEYS })
  return {
    take(key, amount, { perSecond, most }) {
      const at = now()
      const before = buckets.get(key) ?? { left: most, at }
      const left = Math.min(most, before.left + ((at - before.at) / 1_000) * perSecond)
      const isTaken = left >= amount
      buckets.set(key, { left: isTaken ? left - amount : left, at })
      return isTaken ? 0 : (amount - left) / perSecond
    },
  }
}
