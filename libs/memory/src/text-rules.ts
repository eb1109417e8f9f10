import { z } from 'zod'

/** Length in Unicode code points, as Postgres counts it. */
export function characters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Size in bytes of UTF-8. */
export function bytes(text: string): number {
  return Buffer.byteLength(text, 'utf8')
}

/** `text` as one line: white space folded, cut to `limit` characters with an ellipsis. */
export function oneLine(text: string, limit = 120): string {
  const folded = text.replace(/\s+/gu, ' ').trim()
  const points = Array.from(folded.slice(0, limit * 2 + 2))
  return points.length > limit
    ? `${points
        .slice(0, limit - 1)
        .join('')
        .trimEnd()}…`
    : folded
}

/** Whether a title only says how a text begins: on one line, with a colon between two fields of it, or cut by `…` at its end. */
export const isBeginning = (title: string, text: string): boolean =>
  withoutBreaks(text).startsWith(withoutBreaks(title).replace(/…$/u, ''))

const withoutBreaks = (text: string): string => text.replace(/[\s:]+/gu, ' ')

/** Joins the parts that are present, each on its own line. */
export function joinParts(...parts: readonly (string | readonly string[] | null | undefined)[]): string {
  return parts
    .flat()
    .filter((part): part is string => part != null && part !== '')
    .join('\n')
}

const NUL = '\u0000'

/**
 * A string that every store can keep. jsonb and text refuse NUL. Postgres refuses JSON with an unpaired
 * surrogate, and UTF-8 mangles it.
 */
export const storableString = z
  .string('must be a string')
  .refine((text) => !text.includes(NUL), 'must not contain the NUL character (U+0000)')
  .refine((text) => text.isWellFormed(), 'must be well-formed Unicode, without unpaired surrogates')

/**
 * Characters that leave no mark on a page: white space, controls and formats (zero-width signs, direction
 * marks), what Unicode says to ignore (variation selectors, Hangul fillers, soft hyphens), and Braille's
 * empty cell. Unassigned code points are not included: they are signs of a later Unicode.
 */
const MARKLESS = /^[\p{White_Space}\p{Z}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/**
 * Whether nothing of the text is visible. A text with a NUL does not count as blank: another check refuses
 * it.
 */
export const isBlank = (text: string): boolean => MARKLESS.test(text) && !text.includes(NUL)

/** A storable string of at most `limit` characters that is not blank. */
export function shortString(limit: number) {
  return storableString
    .refine((text) => text.length <= limit * 2 && characters(text) <= limit, {
      error: ({ input }) =>
        `is too long: the limit is ${grouped(limit)} characters, and it has ${grouped(characters(String(input)))}`,
    })
    .refine((text) => !isBlank(text), 'must not be blank')
}

/** A storable string of at most `limit` bytes that is not blank. */
export function longString(limit: number) {
  return storableString
    .refine((text) => bytes(text) <= limit, {
      error: ({ input }) =>
        `is too long: the limit is ${sizeInWords(limit)} of UTF-8, and it has ${bytesInWords(bytes(String(input)))}`,
    })
    .refine((text) => !isBlank(text), 'must not be blank')
}

/** A moment: RFC 3339 in, `toISOString` out. Years 1 to 9999, the range that every store supports. */
export const moment = z
  .union(
    [z.iso.datetime({ offset: true, error: 'must be an RFC 3339 date and time' }), z.date()],
    'must be an RFC 3339 date and time',
  )
  .transform((value, context) => {
    const date = new Date(value)
    const year = date.getUTCFullYear()
    if (Number.isNaN(date.getTime()) || year < 1 || year > 9999) {
      context.addIssue({ code: 'custom', message: 'must be a date and time of the years 1 to 9999' })
      return z.NEVER
    }
    return date.toISOString()
  })

const GROUPED = new Intl.NumberFormat('en-US')

/** A number as people read it: `12,345`. */
export const grouped = (number: number): string => GROUPED.format(number)

const UNITS = [
  ['MiB', 1024 ** 2],
  ['KiB', 1024],
] as const

/** `65,536 bytes`. */
export const bytesInWords = (size: number): string => `${grouped(size)} ${size === 1 ? 'byte' : 'bytes'}`

/**
 * A limit as people say it, with its bytes: `64 KiB (65,536 bytes)`, or `1,000 bytes` if no unit divides it.
 */
export function sizeInWords(size: number): string {
  const unit = UNITS.find(([, one]) => size >= one && size % one === 0)
  return unit === undefined ? bytesInWords(size) : `${size / unit[1]} ${unit[0]} (${bytesInWords(size)})`
}
