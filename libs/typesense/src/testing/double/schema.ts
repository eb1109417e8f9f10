import { RequestFailure } from './reply.ts'

/** A field as the server gives it back. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly facet: boolean
  readonly index: boolean
  readonly infix: boolean
  readonly locale: string
  readonly optional: boolean
  readonly sort: boolean
  readonly stem: boolean
  readonly stem_dictionary: string
  readonly store: boolean
  /** Of this field alone, in the place of the collection's. */
  readonly token_separators?: readonly string[]
  readonly num_dim?: number
  readonly vec_dist?: string
  readonly hnsw_params?: { readonly M: number; readonly ef_construction: number }
}

export interface Schema {
  readonly name: string
  readonly fields: readonly Field[]
  readonly default_sorting_field: string
  readonly enable_nested_fields: boolean
  readonly symbols_to_index: readonly string[]
  readonly token_separators: readonly string[]
  readonly metadata?: object
}

const TYPES =
  /^(?:string\*|auto|image|(?:string|int32|int64|float|bool|geopoint|geopolygon|object)(?:\[\])?)$/
const SORTED = new Set(['int32', 'int64', 'float', 'bool'])

export const isText = (field: Field) => field.type === 'string' || field.type === 'string[]'
export const isVector = (field: Field) => field.type === 'float[]' && field.num_dim !== undefined
export const isNumber = (field: Field) => /^(?:int32|int64|float)/.test(field.type)

/** @throws RequestFailure as the server answers a schema that it does not take */
export function readSchema(given: Record<string, unknown>): Schema {
  if (typeof given.name !== 'string' || given.name === '')
    throw new RequestFailure(400, 'Parameter `name` is required.')
  if (!Array.isArray(given.fields) || given.fields.length === 0)
    throw new RequestFailure(
      400,
      'The `fields` value should be an array of objects containing `name`, `type` and optionally, `facet` properties.',
    )
  const schema: Schema = {
    name: given.name,
    fields: given.fields.map(readField),
    default_sorting_field: String(given.default_sorting_field ?? ''),
    enable_nested_fields: given.enable_nested_fields === true,
    symbols_to_index: (given.symbols_to_index as string[] | undefined) ?? [],
    token_separators: (given.token_separators as string[] | undefined) ?? [],
    ...(given.metadata === undefined ? {} : { metadata: given.metadata as object }),
  }
  const sorting = schema.default_sorting_field
  if (sorting !== '' && !schema.fields.some((field) => field.name === sorting))
    throw new RequestFailure(
      400,
      `Default sorting field is defined as \`${sorting}\` but is not found in the schema.`,
    )
  return schema
}

function readField(given: Record<string, unknown>): Field {
  const name = String(given.name)
  const type = String(given.type)
  if (!TYPES.test(type))
    throw new RequestFailure(
      400,
      `Field \`${name}\` has an invalid data type \`${type}\`, see docs for supported data types.`,
    )
  return {
    name,
    type,
    facet: given.facet === true,
    index: given.index !== false,
    infix: given.infix === true,
    locale: String(given.locale ?? ''),
    optional: given.optional === true,
    sort: typeof given.sort === 'boolean' ? given.sort : SORTED.has(type),
    stem: given.stem === true,
    stem_dictionary: '',
    store: given.store !== false,
    ...(Array.isArray(given.token_separators) && { token_separators: given.token_separators }),
    ...(type === 'float[]' && typeof given.num_dim === 'number'
      ? {
          num_dim: given.num_dim,
          vec_dist: String(given.vec_dist ?? 'cosine'),
          hnsw_params: (given.hnsw_params as Field['hnsw_params']) ?? { M: 16, ef_construction: 200 },
        }
      : {}),
  }
}
