import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import type { InputOf } from '@daybook/api/graphql'
import { sizeInWords } from '@daybook/memory/text-rules'
import { UsageError } from '../../command-line.ts'
import { hasZone, localTime } from '../local-time.ts'

/** What to remember, and a key that names the original. */
export type KeyedInput = InputOf<'RememberInput'> & { readonly idempotencyKey: string }

/** One memory of a foreign file, or why there is none. */
export type ImportItem =
  | {
      /** Where it stands, for messages: a file's path, or a conversation's title. */
      readonly where: string
      /** With an idempotency key that names the original, so that importing it again adds nothing. */
      readonly input: KeyedInput
      /** The memory that the file was written from, if Daybook wrote it. */
      readonly id?: string | undefined
    }
  | { readonly where: string; readonly problem: string }
  | {
      readonly where: string
      /** What is left out on purpose, in the plural: `tool calls`. It is counted, and said at the end. */
      readonly leftOut: string
    }

/** Items in the order of the original. */
type ImportItems = AsyncIterable<ImportItem> | Iterable<ImportItem>

/** What another program writes. */
export interface ImportFormat {
  /** As `--format` takes it. */
  readonly name: string
  readonly description: string
}

/** A format that is one JSON value. */
export interface JsonFormat extends ImportFormat {
  /** Whether a parsed value is of this format. */
  fits(value: unknown): boolean
  /** The items of a value that fits. */
  items(value: unknown): Iterable<ImportItem>
}

/** A file or folder of a format, ready to be read. */
export interface ForeignFile {
  readonly format: ImportFormat
  /** @throws UsageError if nothing in it can be imported */
  read(): ImportItems
}

/** A short name for texts together: 32 hexadecimal digits of their SHA-256. */
export function hash(...texts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(texts)).digest('hex').slice(0, 32)
}

/** The texts of a list, or of one text that lists them, as front matter has its tags. */
export function listOf(value: unknown): string[] {
  const list = Array.isArray(value) ? value : typeof value === 'string' ? wordsIn(value) : []
  const said = list.filter((one) => one !== null && one !== undefined)
  // Of a list that was torn apart at its commas, each piece has a sign too many.
  const bare = said.map((one) => String(one).replace(/^[\s["']+|[\s\]"']+$/gu, ''))
  return [...new Set(bare)].filter((one) => one !== '')
}

/** The entries of a list that somebody wrote as text: a list of JSON or Python, also a broken one, or with commas, or with blanks. */
function wordsIn(text: string): string[] {
  const list = /^\s*\[(.*?)\]?\s*$/su.exec(text)?.[1] ?? text
  const quoted = [...list.matchAll(/"([^"]*)"|'([^']*)'/gu)].map(([, one, other]) => one ?? other ?? '')
  if (list !== text && quoted.length > 0) return quoted
  return list.split(list.includes(',') ? ',' : /\s+/u)
}

/** From here on a number counts milliseconds: as seconds it would be the year 5138. */
const MILLISECONDS = 1e11

/**
 * A moment in seconds or milliseconds since 1970, also as text, or in words that a clock understands; undefined if it is none, or of
 * no year from 1 to 9999. Words without a zone stay so (`2024-03-05 10:00:00.000`): the import gives them one, and says which.
 */
export function momentOf(value: unknown): string | undefined {
  const isNumber =
    typeof value === 'number' || (typeof value === 'string' && /^\d{9,13}(?:\.\d+)?$/u.test(value))
  const date = isNumber
    ? new Date(Number(value) * (Number(value) < MILLISECONDS ? 1_000 : 1))
    : typeof value === 'string'
      ? new Date(value)
      : null
  if (date === null || Number.isNaN(date.getTime())) return undefined
  const moment = isNumber || hasZone(String(value)) ? date.toISOString() : localTime(date)
  return /^(?!0000)\d{4}-/u.test(moment) ? moment : undefined
}

/** Metadata without what is null or missing. */
export function metadataOf(values: Readonly<Record<string, unknown>>): InputOf<'JSON'> {
  const said = Object.entries(values).filter(([, value]) => value !== null && value !== undefined)
  return JSON.parse(JSON.stringify(Object.fromEntries(said))) as InputOf<'JSON'>
}

/** Whether a value is an object with names, and no list. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The entries of a list as objects; what is none is said. @param name of one entry, for messages */
export function* recordsOf(
  list: readonly unknown[],
  name: string,
  toItem: (record: Readonly<Record<string, unknown>>, where: string) => ImportItem,
): Generator<ImportItem> {
  for (const [index, one] of list.entries()) {
    const where = `${name} ${index + 1}`
    yield isRecord(one) ? toItem(one, where) : { where, problem: `is no object: ${JSON.stringify(one)}` }
  }
}

/** Node's longest string is little more than 512 MiB, so a larger file cannot be parsed. */
const LARGEST = 500 * 1024 * 1024

/** Parses a file as one JSON value, else as a list of those that its lines are. A line that is none stays text. @throws UsageError if it is too large */
export async function readJson(path: string): Promise<unknown> {
  const { size } = await stat(path)
  if (size > LARGEST)
    throw new UsageError(`${path} cannot be imported: it is larger than ${sizeInWords(LARGEST)}; split it`)
  const bytes = await readFile(path)
  const text = new TextDecoder(encodingOf(bytes)).decode(bytes)
  return (
    parsed(text) ?? text.split('\n').flatMap((line) => (line.trim() === '' ? [] : [parsed(line) ?? line]))
  )
}

/** The value of a JSON text; undefined if it is none. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** As the byte order mark says; without one UTF-8. */
export function encodingOf(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  return bytes[0] === 0xfe && bytes[1] === 0xff ? 'utf-16be' : 'utf-8'
}
