import { RequestFailure } from './reply.ts'
import type { Field, Schema } from './schema.ts'

export type Document = Readonly<Record<string, unknown>> & { readonly id: string }

const INT32 = 2 ** 31

const SCALARS: Record<string, { readonly named: string; readonly holds: (value: unknown) => boolean }> = {
  string: { named: 'a string', holds: (value) => typeof value === 'string' },
  int32: {
    named: 'an int32',
    holds: (value) => Number.isInteger(value) && (value as number) >= -INT32 && (value as number) < INT32,
  },
  int64: { named: 'an int64', holds: (value) => Number.isInteger(value) },
  float: { named: 'a float', holds: (value) => typeof value === 'number' },
  bool: { named: 'a bool', holds: (value) => typeof value === 'boolean' },
}

/** @throws RequestFailure in the server's words where a whole document does not fit the schema */
export function checkDocument(schema: Schema, document: Readonly<Record<string, unknown>>): void {
  const sorting = schema.default_sorting_field
  if (sorting !== '' && document[sorting] === undefined)
    throw new RequestFailure(
      400,
      `Field \`${sorting}\` has been declared as a default sorting field, but is not found in the document.`,
    )
  for (const field of schema.fields) {
    const value = document[field.name]
    if (value === undefined || value === null) {
      if (field.optional) continue
      throw new RequestFailure(
        400,
        `Field \`${field.name}\` has been declared in the schema, but is not found in the document.`,
      )
    }
    checkValue(field, value)
  }
}

function checkValue(field: Field, value: unknown): void {
  const isList = field.type.endsWith('[]')
  const scalar = SCALARS[isList ? field.type.slice(0, -2) : field.type]
  if (scalar === undefined) return
  if (!isList) {
    if (!scalar.holds(value))
      throw new RequestFailure(400, `Field \`${field.name}\` must be ${scalar.named}.`)
    return
  }
  if (!Array.isArray(value) || !value.every(scalar.holds))
    throw new RequestFailure(
      400,
      `Field \`${field.name}\` must be an array of ${scalar.named.split(' ')[1]}.`,
    )
  if (field.num_dim !== undefined && value.length !== field.num_dim)
    throw new RequestFailure(400, `Field \`${field.name}\` must have ${field.num_dim} dimensions.`)
}
