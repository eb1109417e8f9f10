import type { Activity } from '@daybook/runtime/activity'

/** Ends a wait at a set time, however idle the process is. */
export interface Alarm {
  /** Sets it to so many milliseconds from now, unless it is set to an earlier time. */
  set(ms: number): void
  /** The given activity, whose waits end when the alarm goes off. */
  readonly activity: Activity
}

/** The longest time of a timer of Node's, in milliseconds: 24 days. */
const LONGEST_MS = 2 ** 31 - 1
/**
 * Added to each time, in milliseconds: timers may be early by 1 ms, and what was just written needs a moment to be
 * readable.
 */
const SLACK_MS = 50

/** An alarm that is not set. */
export function createAlarm(activity: Activity): Alarm {
  let at = Number.POSITIVE_INFINITY
  let timer: NodeJS.Timeout | null = null
  let waiting: AbortController | null = null

  const arm = (): void => {
    if (timer !== null) clearTimeout(timer)
    timer = null
    if (at === Number.POSITIVE_INFINITY) return
    const inMs = Math.min(LONGEST_MS, Math.max(0, at - performance.now()))
    timer = setTimeout(() => waiting?.abort(), inMs)
    timer.unref()
  }

  return {
    set(ms) {
      const then = performance.now() + ms + SLACK_MS
      if (then >= at) return
      at = then
      arm()
    },
    activity: {
      ...activity,
      async wait(ms, signal) {
        waiting = new AbortController()
        arm()
        await activity.wait(ms, AbortSignal.any([signal, waiting.signal]))
        waiting = null
        if (timer !== null) clearTimeout(timer)
        // The next look sets it again.
        at = Number.POSITIVE_INFINITY
      },
    },
  }
}
