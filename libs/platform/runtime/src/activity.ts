import { pause } from './backoff.ts'

/**
 * Whether anything happens in this process. Loops poll the database for the work of other processes, which
 * costs an idle laptop a twentieth of a core. Without other processes, nothing changes while there are no
 * requests, so the loops can rest.
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
  /** Waits for `ms`; while idle, longer, until something happens. Ends early when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

/** For processes that are not alone: others may do something at any time. */
export const ALWAYS_ACTIVE: Activity = {
  touch() {},
  isIdle: () => false,
  interval: (everyMs) => everyMs,
  onActive: () => () => {},
  wait: pause,
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
  const interval = (everyMs: number) => (isIdle() ? Math.max(everyMs, idleMs) : everyMs)
  const onActive = (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  }
  return {
    touch() {
      const wasIdle = isIdle()
      touchedAt = performance.now()
      if (wasIdle) for (const listener of listeners) listener()
    },
    isIdle,
    interval,
    onActive,
    async wait(ms, signal) {
      const woken = new AbortController()
      const leave = onActive(() => woken.abort())
      await pause(interval(ms), AbortSignal.any([signal, woken.signal]))
      leave()
    },
  }
}
