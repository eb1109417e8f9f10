import { pause } from './backoff.ts'

/**
 * Whether anything happens in this process. Loops look at the database again and again for what other processes did, which costs an
 * idle laptop a twentieth of a core; where there is no other process, nothing changes while nobody asks for anything.
 *
 *   active ──nothing was touched for `idleAfterMs`──▶ idle ──touched──▶ active: whoever waits goes on at once
 */
export interface Activity {
  /** Says that something happens: a request, a step of long work. */
  touch(): void
  isIdle(): boolean
  /** Milliseconds between looks that are to be `everyMs` apart while there is activity. */
  interval(everyMs: number): number
  /** Calls back each time that it becomes active after it was idle. @returns ends that */
  onActive(listener: () => void): () => void
  /** Waits for `ms`; while idle for longer, but no longer than until something happens. Ends early when the signal is aborted. */
  wait(ms: number, signal: AbortSignal): Promise<void>
}

/** Where other processes may do something at any time. */
export const ALWAYS_ACTIVE: Activity = {
  touch() {},
  isIdle: () => false,
  interval: (everyMs) => everyMs,
  onActive: () => () => {},
  wait: pause,
}

/**
 * @param idleMs between looks while idle. A minute: so long may pass until it is noticed what somebody did behind Daybook's back. All loops
 *   together take 100 ms of processor time for a look
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
