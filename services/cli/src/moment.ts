import { parseDuration } from '@daybook/runtime/units'

/** The error for a value that is neither a date nor a time. */
export const MOMENT_HINT = 'It must be a date or a time, such as 2026-11-21 or 2026-11-21T09:30:00Z.'

/** The error for a value that says nothing about since when. */
export const SINCE_HINT = 'It must be how long ago (30m, 2h, 7d), or a date or a time, such as 2026-11-21.'

/** Parses how long ago something was (`90s`, `30m`, `2h`, `7d`), or a date or time as `parseMoment` does. */
export function parseSince(value: string, now: number): string | null {
  const ago = parseDuration(value)
  return ago === null ? parseMoment(value) : new Date(now - ago).toISOString()
}

/**
 * Parses a date, or a date and time, from an option or an imported file. A date alone means its first moment
 * in UTC.
 * @returns RFC 3339 in UTC; null if it is neither, or is no day of the calendar
 */
export function parseMoment(value: string): string | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})(?:$|[Tt ])/u.exec(value) ?? []
  if (day === undefined) return null
  // JavaScript turns 30 February into 1 March.
  if (new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day))
    return null
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
