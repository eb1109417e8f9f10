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

/** A pattern of one of their names, or of its first three letters. */
export const MONTH = MONTHS.map((name) => `${name}|${name.slice(0, 3)}\\.?`).join('|')

/** `2026-11-17`, `17 November 2026`, `17th of Nov`, `Nov. 17, 2026`. English only. */
const DATE = new RegExp(
  `(?<![\\p{L}\\p{N}])(?:(?<y>(?:19|20)\\d\\d)-(?<m>\\d\\d)-(?<d>\\d\\d)|(?<d2>\\d{1,2})(?:st|nd|rd|th)?\\.? (?:of )?(?<m2>${MONTH})(?:,? (?<y2>(?:19|20)\\d\\d))?|(?<m3>${MONTH}) (?<d3>\\d{1,2})(?:st|nd|rd|th)?(?![\\d:])(?:,? (?<y3>(?:19|20)\\d\\d))?)(?![\\p{L}\\p{N}])`,
  'giu',
)

/** The most days of one text. A log with more has no day of its own. */
const MOST_DAYS = 32

/** The word by which texts of one day, or about it, are found however they write it. @param time in milliseconds since 1970 */
export const dayWord = (time: number): string =>
  `day${new Date(time).toISOString().slice(0, 10).replaceAll('-', '')}`

/**
 * The words of the days that a text names, each once. A day without a year is the one nearest to the text's own time.
 * @param own when it happened or was written, in milliseconds since 1970
 */
export function daysNamedIn(text: string, own: number): string[] {
  const days = new Set<string>()
  for (const { groups = {} } of text.matchAll(DATE)) {
    const month =
      groups['m'] === undefined ? monthNumber(groups['m2'] ?? groups['m3']) : Number(groups['m']) - 1
    const day = Number(groups['d'] ?? groups['d2'] ?? groups['d3'])
    const year = groups['y'] ?? groups['y2'] ?? groups['y3']
    const time = year === undefined ? nearestYear(own, month, day) : Date.UTC(Number(year), month, day)
    const date = new Date(time)
    // The 31st of June would be a day in July.
    if (date.getUTCDate() !== day || date.getUTCMonth() !== month) continue
    days.add(dayWord(time))
    if (days.size === MOST_DAYS) break
  }
  return [...days]
}

function nearestYear(own: number, month: number, day: number): number {
  const year = new Date(own).getUTCFullYear()
  const [before, same, after] = [year - 1, year, year + 1].map((one) => Date.UTC(one, month, day)) as [
    number,
    number,
    number,
  ]
  return [before, after].reduce(
    (best, one) => (Math.abs(one - own) < Math.abs(best - own) ? one : best),
    same,
  )
}

/** The number of a month by its name or its first three letters, from 0; -1 if it is none. */
export const monthNumber = (name = ''): number =>
  MONTHS.findIndex((month) => month.slice(0, 3).toLowerCase() === name.slice(0, 3).toLowerCase())
