import { DaybookError } from '@daybook/memory/errors'
import { LRUCache } from 'lru-cache'

/** How much the requests of a key may cost. */
export interface BudgetLimits {
  /** What a key gets per second. */
  readonly costPerSecond: number
  /** The most that it can save up, and spend at once. */
  readonly costSaved: number
}

/** A key has spent more than it got. */
export class RateLimitedError extends DaybookError {
  /** Seconds after which the same request is taken, if nothing else is asked with the key. */
  readonly retryAfter: number

  constructor(message: string, retryAfter: number) {
    super('RATE_LIMITED', message)
    this.retryAfter = retryAfter
  }
}

/** A token bucket for each key, in the unit of the cost of queries. */
export interface KeyBudget {
  /** @throws RateLimitedError; then nothing is spent */
  spend(keyId: string, cost: number): void
}

/** Buckets kept at a time. One that nobody has used for longest starts again full, as it would be by then. */
const KEYS = 10_000

interface Bucket {
  saved: number
  at: number
}

/** @param now milliseconds, for tests */
export function createKeyBudget(
  { costPerSecond, costSaved }: BudgetLimits,
  now: () => number = () => performance.now(),
): KeyBudget {
  const buckets = new LRUCache<string, Bucket>({ max: KEYS })
  return {
    spend(keyId, cost) {
      const at = now()
      const before = buckets.get(keyId) ?? { saved: costSaved, at }
      const saved = Math.min(costSaved, before.saved + ((at - before.at) / 1_000) * costPerSecond)
      const isTaken = saved >= cost
      buckets.set(keyId, { saved: isTaken ? saved - cost : saved, at })
      if (isTaken) return
      const seconds = Math.max(1, Math.ceil((cost - saved) / costPerSecond))
      throw new RateLimitedError(
        `The requests of this key cost more than ${costPerSecond} per second (DAYBOOK_COST_PER_SECOND), and what it had saved up (DAYBOOK_COST_SAVED, ${costSaved}) is spent: this one costs ${Math.ceil(cost)}. Send it again in ${seconds} s, or ask for less`,
        seconds,
      )
    },
  }
}
