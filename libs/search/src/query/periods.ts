/** A time from `from` until before `to`, in milliseconds since 1970, in UTC. Infinite where it is open. */
export interface Period {
  readonly from: number
  readonly to: number
}

export const DAY_MS = 86_400_000

/** The months, January first. */
export const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const

/** The day, month or year that holds a date. Months count from 0; too large ones belong to later years. */
export const dayOf = (year: number, month: number, day: number): Period => ({
  from: Date.UTC(year, month, day),
  to: Date.UTC(year, month, day + 1),
})
export const monthsOf = (year: number, month: number, count = 1): Period => ({
  from: Date.UTC(year, month, 1),
  to: Date.UTC(year, month + count, 1),
})
export const yearOf = (year: number): Period => monthsOf(year, 0, 12)

/** The week that holds a time, from Monday. */
export function weekOf(time: number): Period {
  const date = new Date(time)
  const from = Date.UTC(
    date.getUTCFullYear(),
    date.getUTCMonth(),
    date.getUTCDate() - ((date.getUTCDay() + 6) % 7),
  )
  return { from, to: from + 7 * DAY_MS }
}

/**
 * A period in the words that memories are indexed with ("8 May 2023"): a day, the months of a shorter time, or
 * the years of a longer one.
 */
export function wordsOf({ from, to }: Period): string {
  if (!Number.isFinite(from) || !Number.isFinite(to)) return ''
  const [first, last] = [new Date(from), new Date(to - 1)]
  const [year, lastYear] = [first.getUTCFullYear(), last.getUTCFullYear()]
  const months = (lastYear - year) * 12 + last.getUTCMonth() - first.getUTCMonth() + 1
  if (to - from <= DAY_MS) return `${first.getUTCDate()} ${MONTHS[first.getUTCMonth()]} ${year}`
  const years = year === lastYear ? String(year) : `${year} ${lastYear}`
  if (months > 3) return years
  const names = Array.from({ length: months }, (_, index) => MONTHS[(first.getUTCMonth() + index) % 12])
  return `${names.join(' ')} ${years}`
}
