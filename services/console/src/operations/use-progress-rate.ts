import { createRateMeter, secondsLeft } from '@daybook/runtime/rate'
import { useRef } from 'preact/hooks'

/** How fast something grows, and when it will be done. */
export interface ProgressRate {
  /** Null while it is not known. */
  readonly perSecond: number | null
  /** Seconds; null while it is not known. */
  readonly left: number | null
}

/**
 * Measures how fast a count grows, over the last seconds.
 * @param of what is counted: another name starts over
 * @param total null if the end is not known
 */
export function useProgressRate(of: string, done: number, total: number | null): ProgressRate {
  const measured = useRef({ of, meter: createRateMeter() })
  if (measured.current.of !== of) measured.current = { of, meter: createRateMeter() }
  const { meter } = measured.current
  const now = performance.now()
  meter.add(done, now)
  const perSecond = meter.perSecond(now)
  return { perSecond, left: secondsLeft(done, total, perSecond) }
}
