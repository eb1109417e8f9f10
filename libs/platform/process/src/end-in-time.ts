import { pause } from '@daybook/runtime/backoff'
import type { Shutdown } from './shutdown.ts'

/** How a stop ended: everything has, or these parts were cut off. */
export interface Ended {
  readonly cutOff: readonly string[]
}

/** Milliseconds of a stop: when what others wait for is ended, how often again, and when it is over in any case. */
export interface StopTimes {
  readonly hurryAfterMs: number
  readonly hurryEveryMs: number
  readonly limitMs: number
}

/**
 * Under 10 s, which supervisors such as Docker give before they kill: connections have 3 s for their last answers, then
 * statements under way are cancelled, and what has not ended half a second before the tenth is cut off.
 */
const STOP_TIMES: StopTimes = { hurryAfterMs: 4_000, hurryEveryMs: 1_000, limitMs: 9_500 }

/**
 * Ends everything within the limit. Nothing that was acknowledged is lost by a cut: it is committed before. Leases
 * that were not given back run out by themselves.
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
