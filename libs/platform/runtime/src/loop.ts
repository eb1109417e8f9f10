import { backoffDelay } from './backoff.ts'

/*
 * Everything that runs by itself is a loop of rounds, one after the other:
 *
 *   resting ──its time has come, `wake`, or idleness ends──▶ round ──▶ resting
 *      ▲                                                       │ fails: told, and tried again
 *      └───────────────────────────────────────────────────────┘        `stop`: the round under way is the last
 *
 * A failure ends no loop. The timers keep no process alive.
 */

/** Rounds that come again and again. */
export interface Loop {
  /**
   * The next round begins within so many milliseconds, however idle the process is; default at once. While a round is
   * under way, that is after it.
   */
  wake(inMs?: number): void
  /** Resolves when the round under way has ended, and begins no other. */
  stop(): Promise<void>
}

/** How rounds are repeated. */
interface LoopOptions {
  /** Milliseconds between two rounds, unless the round returns another number. */
  readonly everyMs: number
  /** Called when a round fails, unless the loop is being stopped. */
  readonly onError: (error: unknown) => void
  /** When to rest. Default: never. */
  readonly activity?: Activity | undefined
  /** Waits after failures, which nothing cuts short. Default: as after any other round. */
  readonly backoff?: Parameters<typeof backoffDelay>[1]
  /** Whether the first round waits for `everyMs`. Default no. */
  readonly later?: boolean
}

/** What a round returns after which the next one comes only if somebody wakes the loop. */
export const UNTIL_WOKEN = Number.POSITIVE_INFINITY

/** The longest time of a timer of Node's, in milliseconds: 24 days. */
const LONGEST_MS = 2 ** 31 - 1

/**
 * Runs rounds until it is stopped.
 * @param round gets a signal that is aborted at the end; may return the milliseconds until the next round, exactly.
 * Otherwise that is `everyMs`, and longer while the process is idle
 */
export function startLoop(
  round: (stopping: AbortSignal) => Promise<number | void>,
  { everyMs, onError, activity = ALWAYS_ACTIVE, backoff, later = false }: LoopOptions,
): Loop {
  const stopping = new AbortController()
  const { signal } = stopping
  /** The time of the next round, of the earliest wish for one, and before which there is none after a failure. */
  let dueAt = later ? performance.now() + activity.interval(everyMs) : 0
  let wokenAt = UNTIL_WOKEN
  let notBefore = 0
  let failures = 0
  /** Ends the rest under way, if there is one, so that the times are looked at again. */
  let lookAgain: (() => void) | null = null

  const rest = async (): Promise<void> => {
    while (!signal.aborted) {
      const ms = Math.max(notBefore, Math.min(dueAt, wokenAt)) - performance.now()
      if (ms <= 0) return
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(ms, LONGEST_MS)).unref()
        lookAgain = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
  }
  const fail = (error: unknown): void => {
    if (signal.aborted) return
    onError(error)
    if (backoff !== undefined) notBefore = performance.now() + backoffDelay(failures, backoff)
    failures += 1
  }
  const run = async (): Promise<void> => {
    for (await rest(); !signal.aborted; await rest()) {
      wokenAt = UNTIL_WOKEN
      const before = failures
      const next = await round(signal).catch(fail)
      if (failures === before) failures = 0
      dueAt = performance.now() + (next ?? activity.interval(everyMs))
    }
  }
  const leave = activity.onActive(() => {
    dueAt = 0
    lookAgain?.()
  })
  const running = run()
  return {
    wake(inMs = 0) {
      const at = performance.now() + inMs
      if (!(at < wokenAt)) return
      wokenAt = at
      lookAgain?.()
    },
    async stop() {
      leave()
      stopping.abort()
      lookAgain?.()
      await running
    },
  }
}

/**
 * Whether anything happens in this process. Loops poll the database for the work of other processes, which
 * costs an idle laptop a twentieth of a core. Without other processes nothing changes while there are no
 * requests, so all loops can rest; among others, those can whose work can wait.
 *
 *   active ──nothing was touched for `idleAfterMs`──▶ idle ──touched──▶ active: loops continue
 */
export interface Activity {
  /** Says that something happens: a request, or a step of long work. */
  touch(): void
  isIdle(): boolean
  /** Milliseconds between polls that should be `everyMs` apart during activity. */
  interval(everyMs: number): number
  /** Calls back each time that idleness ends. @returns removes the listener */
  onActive(listener: () => void): () => void
}

/** For loops whose work cannot wait: other processes may bring some at any time. */
export const ALWAYS_ACTIVE: Activity = {
  touch() {},
  isIdle: () => false,
  interval: (everyMs) => everyMs,
  onActive: () => () => {},
}

/**
 * Begins active.
 * @param idleAfterMs milliseconds without a touch until it is idle
 * @param idleMs milliseconds between polls while idle. Within a minute, changes made behind Daybook's back
 * are noticed; one poll of all loops takes 100 ms of processor time
 */
export function createActivity({ idleAfterMs = 10_000, idleMs = 60_000 } = {}): Activity {
  const listeners = new Set<() => void>()
  let touchedAt = performance.now()
  const isIdle = () => performance.now() - touchedAt > idleAfterMs
  return {
    touch() {
      const wasIdle = isIdle()
      touchedAt = performance.now()
      if (wasIdle) for (const listener of listeners) listener()
    },
    isIdle,
    interval: (everyMs) => (isIdle() ? Math.max(everyMs, idleMs) : everyMs),
    onActive(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
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
