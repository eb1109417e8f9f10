/** What people are told who write it otherwise. */
export const MOMENT_HINT = 'It must be a date or a time, such as 2026-11-21 or 2026-11-21T09:30:00Z.'

/**
 * A date, or a date and time, as people write it in options and in files that are imported; a date alone is its first moment in UTC.
 * @returns RFC 3339 in UTC; null where it is neither, or no day of the calendar
 */
export function parseMoment(value: string): string | null {
  const [, year, month, day] = /^(\d{4})-(\d{2})-(\d{2})(?:$|[Tt ])/u.exec(value) ?? []
  if (day === undefined) return null
  // JavaScript makes the 1st of March of the 30th of February.
  if (new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() !== Number(day))
    return null
  const date = new Date(value)
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
