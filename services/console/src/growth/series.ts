import type { Growth } from '../api/growth.ts'

/** Numbers over time, as a plot and as a table show them. */
export interface Series {
  readonly name: string
  /** The class that has the colour as its background. */
  readonly colour: string
  readonly counts: readonly number[]
}

/** What has come together up to each time. */
export function runningTotal(counts: readonly number[]): number[] {
  let total = 0
  return counts.map((count) => {
    total += count
    return total
  })
}

/** The series of values, each in a colour of its own; the last colour is for all others. */
export const seriesOf = (
  series: Growth['kinds'],
  others: string,
  show: (value: string) => string,
): Series[] =>
  series.map(({ value, counts }, place) => ({
    name: value === null ? others : show(value),
    colour: value === null ? 'series-6' : `series-${place + 1}`,
    counts: runningTotal(counts),
  }))
