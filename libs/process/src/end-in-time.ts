import { pause } from '@daybook/runtime/backoff'
import type { Shutdown } from './shutdown.ts'

/** How a stop ended: `cutOff` names the parts that did not end in time. */
export interface Ended {
  readonly cutOff: readonly string[]
}

/**
 * Times of a stop, in milliseconds: when to start ending what blocks others, how often to repeat that, and
 * when to give up.
 */
export interface StopTimes {
  readonly hurryAfterMs: number
  readonly hurryEveryMs: number
  readonly limitMs: number
}

/**
 * Under 10 s, after which supervisors such as Docker kill. Connections have 3 s for their last answers, then
 * running statements are cancelled. What has not ended after 9.5 s is cut off.
 */
const STOP_TIMES: StopTimes = { hurryAfterMs: 4_000, hurryEveryMs: 1_000, limitMs: 9_500 }

/**
 * Ends everything within the limit. A cut loses nothing that was acknowledged: it is already committed.
 * Leases that were not released run out by themselves.
 * @throws the first failure of a part that could not be stopped
 */
export async function endInTime(shutdown: Shutdown, times: StopTimes = STOP_TIMES): Promise<Ended> {
  const over = new AbortController()
  const limit = new Promise<'limit'>((resolve) => {
    const timer = setTimeout(() => resolve('limit'), times.limitMs)
    over.signal.addEventListener('abort', () => clearTimeout(timer))
  })
  const hurrying = async (): Promise<void> => {
    await pause(times.hurryAfterMs, over.signal)
    while (!over.signal.aborted) {
      await shutdown.hurry()
      await pause(times.hurryEveryMs, over.signal)
    }
  }
  void hurrying()
  try {
    const end = await Promise.race([shutdown.run(), limit])
    return { cutOff: end === 'limit' ? shutdown.cut() : [] }
  } finally {
    over.abort()
  }
}
