import { setImmediate } from 'node:timers/promises'

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
