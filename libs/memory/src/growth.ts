/** The lengths of time that growth is counted in, the shortest first. */
export const GROWTH_UNITS = ['day', 'week', 'month', 'year'] as const

/** One of `GROWTH_UNITS`. */
export type GrowthUnit = (typeof GROWTH_UNITS)[number]

/** Counts of one value, a number for each time. */
export interface GrowthSeries {
  /** Null for all values that are not told one by one. */
  readonly value: string | null
  readonly counts: readonly number[]
}

/** How many memories came when, and how much was written. */
export interface Growth {
  readonly unit: GrowthUnit
  /** The first day of each time, as `2026-11-23`. No time in between is left out. */
  readonly starts: readonly string[]
  /** How many memories match. */
  readonly memories: number
  /** Memories by the time they were remembered at. */
  readonly remembered: readonly number[]
  /** Events of the memories that match, forgotten ones included. */
  readonly events: readonly number[]
  /** `remembered` by kind, and by context, the most frequent first. */
  readonly kinds: readonly GrowthSeries[]
  readonly contexts: readonly GrowthSeries[]
}

/** The most times of one answer. */
const MOST_TIMES = 400

const DAY_MS = 86_400_000

const LENGTHS: Readonly<Record<GrowthUnit, number>> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 30 * DAY_MS,
  year: 365 * DAY_MS,
}

/** The shortest unit of which at most 400 lie between two moments (milliseconds since 1970); else a year. */
export const growthUnit = (from: number, to: number): GrowthUnit =>
  GROWTH_UNITS.find((unit) => (to - from) / LENGTHS[unit] < MOST_TIMES) ?? 'year'
