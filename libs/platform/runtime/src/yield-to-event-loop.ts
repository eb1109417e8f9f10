import { setImmediate } from 'node:timers/promises'

/** Waits where its user has had the event loop for long enough, so that others get their turn; returns at once elsewhere. */
export type YieldToEventLoop = () => Promise<void>

/** @param milliseconds that may be worked without a break; whoever calls it should do so several times in that span. */
export function yieldToEventLoop(milliseconds = 4): YieldToEventLoop {
  let since = performance.now()
  return async () => {
    if (performance.now() - since < milliseconds) return
    await setImmediate()
    since = performance.now()
  }
}
