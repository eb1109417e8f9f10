import type { Field } from './field.ts'
import { checkFields, readField } from './read-field.ts'
import { RequestFailure } from './reply.ts'

/** The schema of a collection. */
export interface Schema {
  readonly name: string
  readonly fields: readonly Field[]
  readonly default_sorting_field: string
  readonly enable_nested_fields: boolean
  readonly symbols_to_index: readonly string[]
  readonly token_separators: readonly string[]
  readonly metadata?: object
}

const refused = (message: string) => new RequestFailure(400, message)

/** Reads a schema. @throws RequestFailure with the server's message for the first problem */
export function readSchema(given: Record<string, unknown>): Schema {
  const {
    name,
    fields,
    default_sorting_field: sorting = '',
    enable_nested_fields: nested = false,
    symbols_to_index,
    token_separators,
    metadata,
  } = given
  if (name === undefined) throw refused('Parameter `name` is required.')
  if (typeof name !== 'string' || name === '') throw refused('Parameter `name` must be a non-empty string.')
  if (fields === undefined) throw refused('Parameter `fields` is required.')
  if (typeof sorting !== 'string')
    throw refused(
      '`default_sorting_field` should be a string. It should be the name of an int32/float field.',
    )
  const symbols = signs('symbols_to_index', symbols_to_index)
  const separators = signs('token_separators', token_separators)
  if (typeof nested !== 'boolean') throw refused('`enable_nested_fields` should be a boolean.')
  checkSigns('symbols_to_index', symbols)
  checkSigns('token_separators', separators)
  if (!Array.isArray(fields) || fields.length === 0)
    throw refused(
      'The `fields` value should be an array of objects containing `name`, `type` and optionally, `facet` properties.',
    )
  if (
    metadata !== undefined &&
    (metadata === null || typeof metadata !== 'object' || Array.isArray(metadata))
  )
    throw refused('The `metadata` value should be an object.')
  if (sorting === 'id') throw refused('Invalid `default_sorting_field` value: cannot be `id`.')
  if (!fields.every((field) => field !== null && typeof field === 'object')) throw refused('Bad request.')
  const read = fields.filter((field) => field?.name !== 'id').map(readField)
  checkFields(read, sorting)
  return {
    name,
    fields: read,
    default_sorting_field: sorting,
    enable_nested_fields: nested,
    symbols_to_index: symbols as string[],
    token_separators: separators as string[],
    ...(metadata === undefined ? {} : { metadata: metadata as object }),
  }
}

function signs(property: string, given: unknown): unknown[] {
  if (given === undefined) return []
  if (!Array.isArray(given)) throw refused(`\`${property}\` should be an array of character symbols.`)
  return given
}

/** Checks that each is one byte long. */
function checkSigns(property: string, given: readonly unknown[]): void {
  if (!given.every((sign) => typeof sign === 'string' && Buffer.byteLength(sign) === 1))
    throw refused(`\`${property}\` should be an array of character symbols.`)
}
