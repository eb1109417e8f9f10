const UNIT_MS = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const

const UNIT_BYTES = { '': 1, KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 } as const

/** `500ms`, `2m`, `7d` in milliseconds; null if the text is not a whole number with a unit. */
export function parseDuration(text: string): number | null {
  return scaled(/^(\d{1,9})(ms|s|m|h|d)$/u.exec(text), UNIT_MS)
}

/** `1048576`, `512MiB`, `10GiB` in bytes; null if the text is not a whole number with or without a unit. */
export function parseBytes(text: string): number | null {
  return scaled(/^(\d{1,15})(|KiB|MiB|GiB|TiB)$/u.exec(text), UNIT_BYTES)
}

function scaled(match: RegExpExecArray | null, units: Readonly<Record<string, number>>): number | null {
  if (match === null) return null
  const value = Number(match[1]) * (units[match[2] ?? ''] ?? Number.NaN)
  return Number.isSafeInteger(value) ? value : null
}

/**
 * Parses how long ago something was (`90s`, `30m`, `2h`, `7d`), `today` or `yesterday`, whose first moment in UTC is meant, or a
 * date or time as `parseMoment` does.
 */
export function parseSince(value: string, now: number): string | null {
  const daysAgo = { today: 0, yesterday: 1 }[value.trim().toLowerCase()]
  if (daysAgo !== undefined) return parseMoment(new Date(now - daysAgo * DAY_MS).toISOString().slice(0, 10))
  const ago = parseDuration(value)
  return ago === null ? parseMoment(value) : momentAt(now - ago)
}

/** Parses in how long something will be (`12h`, `30d`), or a date or time as `parseMoment` does. */
export function parseUntil(value: string, now: number): string | null {
  const ahead = parseDuration(value)
  return ahead === null ? parseMoment(value) : momentAt(now + ahead)
}

/** Null beyond the years 1 to 9999, which every store takes. */
const momentAt = (ms: number): string | null =>
  ms >= Date.parse('0001-01-01') && ms < Date.parse('+010000-01-01') ? new Date(ms).toISOString() : null

const DAY_MS = 86_400_000

/**
 * Parses a date, or a date and time, as people and models give them. A date alone means its first moment in UTC.
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
