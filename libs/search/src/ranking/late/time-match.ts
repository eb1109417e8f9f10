/** A time that a question names: from `from` until before `to`, in milliseconds since 1970. */
export interface WantedTime {
  readonly from: number
  readonly to: number
}

/** How fast that fades beside the time: what is told of a day is often told some days later. */
const FADE_MS = 3 * 86_400_000

/**
 * How near a time is to the nearest of those wanted: 1 within it, falling to 0 with the distance; 0 if it is NaN,
 * or none is wanted.
 */
export function nearness(time: number, wanted: readonly WantedTime[]): number {
  if (Number.isNaN(time)) return 0
  return Math.max(
    0,
    ...wanted.map(({ from, to }) => Math.exp(-Math.max(0, from - time, time - (to - 1)) / FADE_MS)),
  )
}
