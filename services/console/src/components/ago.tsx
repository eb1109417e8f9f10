const UNITS: readonly (readonly [unit: Intl.RelativeTimeFormatUnit, seconds: number])[] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
]

const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const absolute = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** A moment as the viewer's clock and language write it. @param moment RFC 3339 */
export const formatMoment = (moment: string): string => absolute.format(new Date(moment))

/** How long ago a moment was, or when it will be, in the largest unit that fits. @param now milliseconds since 1970 */
export function formatAgo(moment: string, now: number): string {
  const seconds = (Date.parse(moment) - now) / 1_000
  const [unit, size] = UNITS.find(([, least]) => Math.abs(seconds) >= least) ?? ['second', 1]
  return relative.format(Math.trunc(seconds / size), unit)
}

/** How long ago something was; the moment itself is in its title. @param moment RFC 3339 */
export function Ago({ moment }: { readonly moment: string }) {
  return (
    <time dateTime={moment} title={formatMoment(moment)}>
      {formatAgo(moment, Date.now())}
    </time>
  )
}
