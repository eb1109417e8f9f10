import { DaybookError } from '@daybook/memory/errors'
import { LRUCache } from 'lru-cache'

/** How fast a bucket fills, and how much it holds. */
interface BucketSize {
  readonly perSecond: number
  /** What it begins with, and the most that it saves up. */
  readonly most: number
}

/** A token bucket for each key of a map, such as each API key or project. */
interface TokenBuckets {
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

/** How much the requests of a key may cost. */
interface BudgetLimits {
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

/** Counts the connections that a key holds open: WebSockets, and those with subscriptions over SSE. */
export interface KeyStreams {
  /**
   * Counts a connection until every holder has let go of it. Holding one that counts already costs nothing.
   * @returns lets go; only the first call counts
   * @throws DaybookError TOO_MANY_STREAMS
   */
  hold(keyId: string, connection: object): () => void
}

/** @param perKey how many connections a key may hold open */
export function createKeyStreams(perKey: number): KeyStreams {
  /** The holders of each connection, by key. */
  const keys = new Map<string, Map<object, number>>()
  return {
    hold(keyId, connection) {
      const connections = keys.get(keyId) ?? new Map<object, number>()
      if (!connections.has(connection) && connections.size >= perKey) throw tooMany(perKey)
      keys.set(keyId, connections)
      connections.set(connection, (connections.get(connection) ?? 0) + 1)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        const holders = (connections.get(connection) ?? 0) - 1
        if (holders > 0) return void connections.set(connection, holders)
        connections.delete(connection)
        if (connections.size === 0) keys.delete(keyId)
      }
    },
  }
}

/** Short enough for the reason of a WebSocket's close, which has 123 bytes. */
const tooMany = (perKey: number) =>
  new DaybookError(
    'TOO_MANY_STREAMS',
    `This key has ${perKey} streams open, the limit (DAYBOOK_STREAMS_PER_KEY): close one, or share one`,
  )

/** How long a request waits for others of its key before it is refused, in milliseconds. */
const WAIT_MS = 5_000

/** Waiting requests allowed per running one. More would not get their turn in time. */
const WAITING_PER_RUNNING = 10

/** Limits how many requests of one key run at a time. */
interface KeyWork {
  /**
   * Waits for a turn, at most 5 s.
   * @returns a function that ends the turn; call it once the work is really over
   * @throws DaybookError BUSY
   */
  begin(keyId: string): Promise<() => void>
}

interface Turns {
  running: number
  readonly waiting: Set<() => void>
}

/** @param perKey how many requests of one key run at a time */
export function createKeyWork(perKey: number, waitMs = WAIT_MS): KeyWork {
  const keys = new Map<string, Turns>()

  const busy = () =>
    new DaybookError(
      'BUSY',
      `${perKey} requests of this key are worked on already, which is the limit (DAYBOOK_REQUESTS_PER_KEY), and there was no turn within ${waitMs / 1_000} s: try again in a moment, and send fewer at a time`,
    )
  const ending = (keyId: string, turns: Turns) => () => {
    const [next] = turns.waiting
    // The request that has waited longest gets the turn.
    if (next !== undefined) return next()
    turns.running -= 1
    if (turns.running === 0) keys.delete(keyId)
  }

  return {
    begin(keyId) {
      const turns = keys.get(keyId) ?? { running: 0, waiting: new Set() }
      keys.set(keyId, turns)
      if (turns.running < perKey) {
        turns.running += 1
        return Promise.resolve(ending(keyId, turns))
      }
      if (turns.waiting.size >= perKey * WAITING_PER_RUNNING) return Promise.reject(busy())
      return new Promise((resolve, reject) => {
        const take = () => {
          clearTimeout(timer)
          turns.waiting.delete(take)
          resolve(ending(keyId, turns))
        }
        const timer = setTimeout(() => {
          turns.waiting.delete(take)
          reject(busy())
        }, waitMs)
        turns.waiting.add(take)
      })
    },
  }
}
