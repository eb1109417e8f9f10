import { CompiledQuery, type RawBuilder } from 'kysely'
import { escapeLiteral } from 'pg'
import type { Database } from './connect.ts'
import type { TakeBytes } from './copy-out.ts'

/** The fields of a row, as `COPY` sends them in binary: a number big-endian, a text in UTF-8, null as null. */
export type CopiedRow = readonly (Buffer | null)[]

/** "PGCOPY\n\377\r\n\0", and 32 bits of flags, which say nothing about results of queries. */
const SIGNATURE_BYTES = 15

/**
 * Runs a query whose result is mostly bytes. pg gets bytes as text, two digits each, and gives them when the last row is
 * there; a copy brings them as they are, and each row when it comes: while the server looks up the next ones, this process
 * can work on it (docs/measurements.md#reading-token-bits).
 *
 * A copy has no parameters, so the values are written into its text. It is not prepared either: it is planned each time.
 *
 * @param query its values: texts, numbers, booleans, null, and arrays of them
 * @param each called with each row; its fields are views of larger buffers
 * @throws TypeError for any other value
 */
export async function copyRows(
  db: Database,
  query: RawBuilder<unknown>,
  each: (row: CopiedRow) => void,
): Promise<void> {
  const { sql: text, parameters } = query.compile(db)
  const filled = text.replace(/\$(\d+)/gu, (_, number) => literal(parameters[Number(number) - 1]))
  const copy = CompiledQuery.raw(`copy (${filled}) to stdout with (format binary)`, [rowParser(each)])
  await db.executeQuery(copy)
}

/** A value that Postgres reads as the type that the query wants, like a parameter. */
const literal = (value: unknown): string => (value === null ? 'null' : escapeLiteral(written(value)))

function written(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(element).join()}}`
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  throw new TypeError(`a copy cannot be given a value of the type ${typeof value}`)
}

const element = (value: unknown): string =>
  value === null ? 'null' : `"${written(value).replace(/["\\]/gu, '\\$&')}"`

/**
 * Takes rows out of bytes that come in pieces.
 *
 * The format: https://www.postgresql.org/docs/current/sql-copy.html, "Binary Format"
 */
function rowParser(each: (row: CopiedRow) => void): TakeBytes {
  let rest: Buffer = Buffer.alloc(0)
  let inHeader = true
  return (bytes) => {
    rest = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    if (inHeader) {
      const end = headerEnd(rest)
      if (end === null) return
      rest = rest.subarray(end)
      inHeader = false
    }
    for (;;) {
      const end = rowEnd(rest)
      if (end === null) return
      each(fieldsOf(rest))
      rest = rest.subarray(end)
    }
  }
}

/** Where the header ends; null if not all of it is there. It may be longer than it is today. */
function headerEnd(bytes: Buffer): number | null {
  if (bytes.length < SIGNATURE_BYTES + 4) return null
  const end = SIGNATURE_BYTES + 4 + bytes.readInt32BE(SIGNATURE_BYTES)
  return bytes.length < end ? null : end
}

/** Where the first row ends; null if not all of it is there, or if it is the trailer. */
function rowEnd(bytes: Buffer): number | null {
  if (bytes.length < 2) return null
  let at = 2
  for (let fields = bytes.readInt16BE(); fields !== 0; fields -= 1) {
    if (fields < 0 || bytes.length < at + 4) return null
    at += 4 + Math.max(0, bytes.readInt32BE(at))
  }
  return bytes.length < at ? null : at
}

function fieldsOf(row: Buffer): CopiedRow {
  let at = 2
  return Array.from({ length: row.readInt16BE() }, () => {
    const bytes = row.readInt32BE(at)
    at += 4
    if (bytes < 0) return null
    at += bytes
    return row.subarray(at - bytes, at)
  })
}
