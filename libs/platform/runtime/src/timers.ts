import { setImmediate } from 'node:timers/promises'
import { UnavailableError } from '@daybook/memory/errors'

/**
 * The promise's result, if it comes in time; a later result or error is ignored.
 * @throws UnavailableError after `milliseconds`
 */
export async function withTimeout<T>(milliseconds: number, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new UnavailableError(`there was no answer within ${milliseconds / 1_000} s`)),
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
