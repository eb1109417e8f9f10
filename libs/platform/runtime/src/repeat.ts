import { type Activity, ALWAYS_ACTIVE } from './activity.ts'
import { pause } from './backoff.ts'

/** Work that is repeated. */
export interface Repeated {
  /** Ends it after the current round. */
  stop(): Promise<void>
}

/** The options of `repeat`. */
interface RepeatOptions {
  /** Milliseconds between two rounds, unless the round returns another number. */
  readonly everyMs: number
  /** Called when a round fails. The next one comes anyway. */
  readonly onError: (error: unknown) => void
  /** When to rest. Default: never. */
  readonly activity?: Activity | undefined
  /** Whether the first round waits for `everyMs`. Default no. */
  readonly later?: boolean
}

/**
 * Runs rounds one after the other until it is stopped.
 * @param round gets a signal that is aborted at the end; may return the milliseconds until the next round
 */
export function repeat(
  round: (signal: AbortSignal) => Promise<number | void>,
  { everyMs, onError, activity = ALWAYS_ACTIVE, later = false }: RepeatOptions,
): Repeated {
  const stop = new AbortController()
  const run = async (): Promise<void> => {
    if (later) await activity.wait(everyMs, stop.signal)
    while (!stop.signal.aborted) {
      const next = await round(stop.signal).catch((error: unknown) => {
        if (!stop.signal.aborted) onError(error)
      })
      await activity.wait(next ?? everyMs, stop.signal)
    }
  }
  const running = run()
  return {
    async stop() {
      stop.abort()
      await running
    },
  }
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

/** A flag that one loop waits for and anyone may raise. If nobody waits, it stays raised, once. */
export interface WakeUp {
  raise(): void
  /** Resolves when the flag is raised, after `timeoutMs`, or when the signal is aborted, whichever is first, and lowers the flag. */
  wait(timeoutMs: number, signal?: AbortSignal): Promise<void>
}

/** A lowered flag. */
export function createWakeUp(): WakeUp {
  let raised = false
  let wake: (() => void) | null = null
  return {
    raise() {
      raised = true
      wake?.()
    },
    async wait(timeoutMs, signal) {
      if (!raised && signal?.aborted !== true) {
        await new Promise<void>((resolve) => {
          const end = () => {
            clearTimeout(timer)
            signal?.removeEventListener('abort', end)
            resolve()
          }
          const timer = setTimeout(end, timeoutMs)
          signal?.addEventListener('abort', end)
          wake = end
        })
        wake = null
      }
      raised = false
    },
  }
}
