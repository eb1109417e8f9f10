const STEPS = [
  [60, 'second'],
  [60, 'minute'],
  [24, 'hour'],
  [7, 'day'],
] as const

/** How long ago a moment was, in words; the date if that is more than a week, or lies in the future. */
export function age(moment: string, now: number): string {
  let amount = (now - Date.parse(moment)) / 1000
  // Clocks differ by some seconds, which does not make a memory one from the future.
  if (amount < -60 || Number.isNaN(amount)) return moment.slice(0, 10)
  if (amount < 10) return 'just now'
  for (const [next, unit] of STEPS) {
    if (amount < next) return `${Math.floor(amount)} ${unit}${amount < 2 ? '' : 's'} ago`
    amount /= next
  }
  return moment.slice(0, 10)
}
