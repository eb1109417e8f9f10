import { setImmediate } from 'node:timers/promises'
import { UnavailableError } from '@daybook/memory/errors'
import { pause } from './backoff.ts'

/**
 * The promise's result, if it comes in time; a later result or error is ignored.
 * @param problem what the error says. Default: that there was no answer
 * @throws UnavailableError after `milliseconds`
 */
export async function withTimeout<T>(
  milliseconds: number,
  promise: Promise<T>,
  problem = 'there was no answer',
): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new UnavailableError(`${problem} within ${milliseconds / 1_000} s`)),
      milliseconds,
    )
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

/** Gives other work a turn if its user has kept the event loop for long enough; else returns at once. */
export type YieldToEventLoop = () => Promise<void>

/** @param milliseconds of work without a break; callers should call the result several times in that span */
export function yieldToEventLoop(milliseconds = 4): YieldToEventLoop {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < milliseconds) return
    await setImmediate()
    since = performance.now()
  }
}

/**
 * Does the same work for each item, in their order, for at most so many at a time.
 * @throws the first failure, when the work under way has ended; nothing further is begun
 */
export async function forEachAtOnce<T>(
  items: Iterable<T> | AsyncIterable<T>,
  most: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const failures: unknown[] = []
  const worker = async () => {
    try {
      for (
        let next = await left.next();
        failures.length === 0 && next.done !== true;
        next = await left.next()
      )
        await work(next.value)
    } catch (error) {
      failures.push(error)
    }
  }
  await Promise.all(Array.from({ length: most }, worker))
  if (failures.length > 0) throw failures[0]
}

/**
 * How many times slower than its best the work may be before it yields: two users of a core are each twice as
 * slow.
 */
const SLOW = 2

/** The longest rest, as a multiple of the time of the piece of work, and in milliseconds. */
const LONGEST_REST = 4

const LONGEST_REST_MS = 1_000

/** Each piece raises the best time by this factor, so that one lucky measurement does not count for ever. */
const FORGET = 1.002

/** Makes long work yield while others need the machine. */
interface Pace {
  /**
   * Does a piece of the work, then rests: the slower it was compared with the best so far, the longer. Alone
   * it never rests; beside other work, it leaves them most of the machine.
   *
   * @param units the size of the piece, such as its rows; pieces are compared by their time per unit
   */
  step<T>(units: number, work: () => Promise<T>, signal?: AbortSignal): Promise<T>
}

/**
 * Measures contention by how long the same work takes. That works for whatever is scarce: processors, disks
 * or the one connection of an embedded database, here or on another machine. The idea is TCP Vegas's (Brakmo
 * and Peterson, 1995): what takes longer than the best so far is waiting behind others.
 *
 * @param now the clock in milliseconds, replaceable for tests
 * @param rest how to wait, replaceable for tests
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
