import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import { createColors } from 'picocolors'
import prettyBytes from 'pretty-bytes'
import { columnsOf, outputColumns, wrap } from './table.ts'

/**
 * Prints a result to standard output, wrapped to the terminal. Messages about it go to standard error
 * (`note`).
 */
export function print(text: string): void {
  printRaw(wrap(text, columnsOf(process.stdout)))
}

/** Prints a value as indented JSON to standard output, safe on a terminal. */
export function printJson(value: unknown): void {
  printRaw(toJson(value, process.stdout.isTTY ? 2 : undefined))
}

/** Prints text unchanged, such as JSON, whose lines must not be broken. */
export function printRaw(text: string): void {
  process.stdout.write(`${text}\n`)
}

/** Prints a message to standard error, wrapped to the terminal. */
export function note(text: string): void {
  noteRaw(wrap(text, columnsOf(process.stderr)))
}

/** Prints a message unchanged. */
export function noteRaw(text: string): void {
  process.stderr.write(`${text}\n`)
}

// JSON escapes C0 controls itself. These are as dangerous on a terminal; escaped, they are the same data.
const UNESCAPED = /[\u007F-\u009F\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069]/gu

/** JSON that is safe to show on a terminal. One line, unless `indent` is given. */
export function toJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(
    UNESCAPED,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

/** A number with its noun: `1 change`, `2 changes`. @param plural default the noun with an s */
export const counted = (number: number, noun: string, plural = `${noun}s`): string =>
  `${grouped(number)} ${number === 1 ? noun : plural}`

/** A duration in words: `0.4 s`, `12 s`, `3 min 5 s`, `2 h 3 min`. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${seconds.toFixed(1)} s`
  const whole = Math.round(seconds)
  if (whole < 60) return `${whole} s`
  const minutes = Math.floor(whole / 60)
  return minutes < 60 ? `${minutes} min ${whole % 60} s` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Bytes in words: `12.3 MiB`. */
export const size = (bytes: number): string =>
  prettyBytes(bytes, { binary: true, minimumFractionDigits: bytes < 1024 ? 0 : 1, maximumFractionDigits: 1 })

/** An enum value of the API for people: `RETRY_PARKED` becomes `retry-parked`. Safe on a terminal. */
export const spoken = (word: string): string => safeLine(word.toLowerCase().replaceAll('_', '-'))

/** A text as a shell takes it for one word. Safe on a terminal. */
export const shellWord = (text: string): string =>
  /^[\w.:/-]+$/u.test(text) ? text : `'${safeLine(text).replaceAll("'", "'\\''")}'`

type Paint = (text: string) => string

/** Ways to make text stand out. They change nothing if the output is not a terminal. */
export interface Painter {
  readonly bold: Paint
  readonly dim: Paint
  readonly match: Paint
}

/** Creates a painter. @param coloured whether it changes the text at all */
export function createPainter(coloured: boolean): Painter {
  const { bold, dim, yellow: match } = createColors(coloured)
  return { bold, dim, match }
}

/** Colours on a terminal, unless NO_COLOR (no-color.org) is set. */
export function painterFor(stream: { readonly isTTY?: boolean }): Painter {
  return createPainter(stream.isTTY === true && !process.env['NO_COLOR'] && process.env['TERM'] !== 'dumb')
}

/**
 * The beginning of a one-line text: at most `most` characters, cut at the end of a word. If the output is not
 * a terminal, the text stays whole: a program or a file has room.
 */
export function shorten(text: string, most: number, columns = outputColumns()): string {
  if (columns === Number.POSITIVE_INFINITY || text.length <= most) return text
  const begun = text.slice(0, Math.max(1, most - 1))
  const blank = begun.lastIndexOf(' ')
  // A long word, such as an address, is cut: leaving it out would leave too little.
  const kept = text[begun.length] === ' ' || blank < most / 2 ? begun : begun.slice(0, blank)
  // Do not keep half of a surrogate pair.
  return `${kept.replace(/[\uD800-\uDBFF]$/u, '').trimEnd()}…`
}
