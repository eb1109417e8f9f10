/** A date alone means its first moment in UTC; a time has a zone if it ends with one, or with an offset. */
const ZONED = /^\d{4}-\d\d-\d\d$|\d[Zz]$|:\d\d(?:\.\d+)?\s*[+-]\d\d(?::?\d\d)?$|\b(?:UTC?|GMT|[ECMP][SD]T)\b/u

/** Whether a time that a clock understands says of which zone it is. */
export const hasZone = (time: string): boolean => ZONED.test(time.trim())

/** The moment as this machine's clocks show it, without the zone: `2024-03-05 10:00:00.000`. */
export function localTime(date: Date): string {
  const shown = new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
  return shown.toISOString().replace('T', ' ').replace('Z', '')
}

/** The zone of this machine, or of `TZ`: `Europe/Berlin`. */
export const zoneHere = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone

/** What the account of an import says of times without a zone. */
export const zoneLine = (zone: string): string =>
  `Times without a zone were read in ${zone}; TZ names another.`
