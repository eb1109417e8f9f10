/** How long a new key may last, in days; null: it does not expire. */
export const LIFETIMES: readonly { readonly days: number | null; readonly name: string }[] = [
  { days: null, name: 'never' },
  { days: 1, name: 'in a day' },
  { days: 7, name: 'in 7 days' },
  { days: 30, name: 'in 30 days' },
  { days: 90, name: 'in 90 days' },
  { days: 365, name: 'in a year' },
]

const DAY_MS = 86_400_000

/**
 * When a key ends, RFC 3339; null if it does not expire.
 * @param days as in `LIFETIMES`, or `on` for the end of `date` in the viewer's time zone
 * @param date as `<input type="date">` has it
 */
export function expiryOf(days: string, date: string, now: number): string | null {
  if (days === 'on') return date === '' ? null : new Date(`${date}T23:59:59`).toISOString()
  return days === '' ? null : new Date(now + Number(days) * DAY_MS).toISOString()
}
