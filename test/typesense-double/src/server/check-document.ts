import type { Action } from './action.ts'
import type { Field } from './field.ts'
import { RequestFailure } from './reply.ts'
import type { Schema } from './schema.ts'

/** A stored document. */
export type Document = Readonly<Record<string, unknown>> & { readonly id: string }

/** Values are not coerced, as is the server's default for a schema without type detection. */
const SCALARS: Record<
  string,
  { readonly one: string; readonly many: string; readonly holds: (value: unknown) => boolean }
> = {
  string: { one: 'a string', many: 'an array of string', holds: (value) => typeof value === 'string' },
  int32: { one: 'an int32', many: 'an array of int32', holds: Number.isInteger },
  int64: { one: 'an int64', many: 'an array of int64', holds: Number.isInteger },
  float: { one: 'a float', many: 'a array of float', holds: (value) => typeof value === 'number' },
  bool: { one: 'a bool', many: 'a array of bool', holds: (value) => typeof value === 'boolean' },
}

/**
 * Checks a document against its collection's schema.
 * @param isPartial whether fields that the stored document has may be missing
 * @returns the document as it is stored; null instead of a list becomes an empty list
 * @throws RequestFailure with the server's message if it does not fit the schema
 */
export function checkDocument(
  schema: Schema,
  document: Readonly<Record<string, unknown>>,
  { isPartial, action }: { isPartial: boolean; action: Action },
): Record<string, unknown> {
  const sorting = schema.default_sorting_field
  if (action !== 'emplace' && !isPartial && sorting !== '' && document[sorting] === undefined)
    throw new RequestFailure(
      400,
      `Field \`${sorting}\` has been declared as a default sorting field, but is not found in the document.`,
    )
  const checked: Record<string, unknown> = { ...document }
  for (const field of schema.fields) {
    const value = document[field.name]
    if (value === undefined) {
      if (field.optional || isPartial) continue
      throw new RequestFailure(
        400,
        `Field \`${field.name}\` has been declared in the schema, but is not found in the document.`,
      )
    }
    if (value === null && field.optional) continue
    checked[field.name] = checkedValue(field, value)
  }
  return checked
}

function checkedValue(field: Field, given: unknown): unknown {
  const isList = field.type.endsWith('[]')
  const scalar = SCALARS[isList ? field.type.slice(0, -2) : field.type]
  if (scalar === undefined) return given
  const refused = (must: string) => new RequestFailure(400, `Field \`${field.name}\` ${must}.`)
  const check = (value: unknown): unknown => {
    if (!scalar.holds(value)) throw refused(`must be ${isList ? scalar.many : scalar.one}`)
    return value
  }
  if (!isList) return check(given)
  const values = given ?? []
  if (!Array.isArray(values)) throw refused('must be an array')
  if (field.num_dim !== undefined && values.length !== field.num_dim)
    throw refused(`must have ${field.num_dim} dimensions`)
  return values.map(check)
}
