const UNITS = ['KiB', 'MiB', 'GiB', 'TiB'] as const

/** Bytes in words: `12.3 MiB`. */
export function size(bytes: number): string {
  let amount = bytes
  let unit = 'bytes'
  for (const next of UNITS) {
    if (amount < 1024) break
    amount /= 1024
    unit = next
  }
  return `${unit === 'bytes' ? amount : amount.toFixed(1)} ${unit}`
}
