import { DaybookError } from '@daybook/memory/errors'
import { createTokenBuckets } from '../token-bucket.ts'

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

/** @param now milliseconds, for tests */
export function createKeyBudget({ costPerSecond, costSaved }: BudgetLimits, now?: () => number): KeyBudget {
  const buckets = createTokenBuckets(now)
  const size = { perSecond: costPerSecond, most: costSaved }
  return {
    spend(keyId, cost) {
      const missing = buckets.take(keyId, cost, size)
      if (missing === 0) return
      const seconds = Math.max(1, Math.ceil(missing))
      throw new RateLimitedError(
        `The requests of this key cost more than ${costPerSecond} per second (DAYBOOK_COST_PER_SECOND), and what it had saved up (DAYBOOK_COST_SAVED, ${costSaved}) is spent: this one costs ${Math.ceil(cost)}. Send it again in ${seconds} s, or ask for less`,
        seconds,
      )
    },
  }
}
