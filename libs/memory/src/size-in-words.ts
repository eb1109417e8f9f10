const GROUPED = new Intl.NumberFormat('en-US')

/** A number as people read it: `12,345`. */
export const grouped = (number: number): string => GROUPED.format(number)

const UNITS = [
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
] as const

/** `65,536 bytes`. */
export const bytesInWords = (bytes: number): string => `${grouped(bytes)} ${bytes === 1 ? 'byte' : 'bytes'}`

/**
 * A limit as people say it, with its bytes: `64 KiB (65,536 bytes)`, or `1,000 bytes` if no unit divides it.
 */
export function sizeInWords(bytes: number): string {
  const unit = UNITS.find(([, size]) => bytes >= size && bytes % size === 0)
  return unit === undefined ? bytesInWords(bytes) : `${bytes / unit[1]} ${unit[0]} (${bytesInWords(bytes)})`
}
