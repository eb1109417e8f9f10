import type { RankedHit } from './rank.ts'

/** A time that a question names: from `from` until before `to`, in milliseconds since 1970. */
export interface WantedTime {
  readonly from: number
  readonly to: number
}

/** How much more a hit counts whose time is the one named: 1 + this. As measured (`docs/measurements.md#times-in-questions`). */
const PREFERENCE = 0.8
/** How fast that fades beside the time: what is told of a day is often told some days later. */
const FADE_MS = 3 * 86_400_000

/** How near a time is to the nearest of those wanted: 1 within it, falling to 0 with the distance. */
export function nearness(time: number, wanted: readonly WantedTime[]): number {
  return Math.max(
    0,
    ...wanted.map(({ from, to }) => Math.exp(-Math.max(0, from - time, time - (to - 1)) / FADE_MS)),
  )
}

/**
 * Prefers hits that are about a time which the question names. The scores of the others are lowered, so that
 * all stay within 0 to 1, and if no hit is near, hardly anything changes: only the difference to the nearest
 * hit counts.
 *
 * @param ranked best first
 * @param timeOf when a hit was, in milliseconds since 1970; undefined if unknown
 * @returns the same hits in their new order, with the factor in `explanation.scale`
 */
export function preferTimes(
  ranked: readonly RankedHit[],
  wanted: readonly WantedTime[],
  timeOf: (memoryId: string) => number | undefined,
): readonly RankedHit[] {
  if (wanted.length === 0) return ranked
  const weights = ranked.map(({ memoryId }) => {
    const time = timeOf(memoryId)
    return 1 + PREFERENCE * (time === undefined ? 0 : nearness(time, wanted))
  })
  const best = Math.max(1, ...weights)
  return ranked
    .map((hit, index) => scaled(hit, (weights[index] ?? 1) / best))
    .toSorted((a, b) => b.score - a.score || (a.memoryId < b.memoryId ? -1 : 1))
}

function scaled(hit: RankedHit, factor: number): RankedHit {
  if (factor === 1) return hit
  const score = hit.score * factor
  return { ...hit, score, explanation: { ...hit.explanation, scale: hit.explanation.scale * factor, score } }
}
