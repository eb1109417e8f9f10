import { CompiledQuery, type RawBuilder } from 'kysely'
import { escapeLiteral } from 'pg'
import type { Database } from './connect.ts'
import type { TakeRow } from './copy-out.ts'

/**
 * Runs a query whose result is mostly bytes. pg gets bytes as text, two digits each, and gives them when the last row is
 * there; a copy brings them as they are, and each row when it comes: while the server looks up the next ones, this process
 * can work on it (docs/measurements.md#reading-token-bits).
 *
 * A copy has no parameters, so the values are written into its text. It is not prepared either: it is planned each time.
 *
 * @param query its values: texts, numbers, booleans, null, and arrays of them
 * @param each called with each row, whose fields hold only during the call
 * @throws TypeError for any other value
 */
export async function copyRows(db: Database, query: RawBuilder<unknown>, each: TakeRow): Promise<void> {
  const { sql: text, parameters } = query.compile(db)
  const filled = text.replace(/\$(\d+)/gu, (_, number) => literal(parameters[Number(number) - 1]))
  const copy = CompiledQuery.raw(`copy (${filled}) to stdout with (format binary)`, [each])
  await db.executeQuery(copy)
}

/** A value that Postgres reads as the type that the query wants, like a parameter. */
function literal(value: unknown): string {
  if (value === null) return 'null'
  const text = written(value)
  // `escapeLiteral` goes through it letter by letter, and through 500 hashes in a millisecond.
  return /['\\]/u.test(text) ? escapeLiteral(text) : `'${text}'`
}

function written(value: unknown): string {
  if (Array.isArray(value)) return `{${value.map(element).join()}}`
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  throw new TypeError(`a copy cannot be given a value of the type ${typeof value}`)
}

function element(value: unknown): string {
  if (value === null) return 'null'
  const text = written(value)
  return /["\\]/u.test(text) ? `"${text.replace(/["\\]/gu, '\\$&')}"` : `"${text}"`
}
