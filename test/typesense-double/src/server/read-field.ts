import type { Field } from './field.ts'
import { RequestFailure } from './reply.ts'

const TYPES =
  /^(?:string\*|auto|image|(?:string|int32|int64|float|bool|geopoint|geopolygon|object)(?:\[\])?)$/
const SORTED = new Set(['int32', 'int64', 'float', 'bool'])
const NUMBERS = /^(?:int32|int64|float)(?:\[\])?$/
const TEXTS = /^string(?:\[\])?$/

const refused = (message: string) => new RequestFailure(400, message)

const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0
const isSign = (value: unknown) => typeof value === 'string' && Buffer.byteLength(value) === 1

/**
 * Reads a field of a schema and checks its properties in the server's order.
 * @throws RequestFailure with the server's message
 */
export function readField(given: unknown): Field {
  const {
    name,
    type,
    store = true,
    facet = false,
    optional = false,
    index = true,
    infix = false,
    locale = '',
    reference = '',
    stem = false,
    range_index = false,
    ...rest
  } = (given ?? {}) as Record<string, unknown>
  const isNamed = name !== undefined && type !== undefined
  const areTexts = typeof name === 'string' && typeof type === 'string'
  // The server treats both as strings when it looks up what is optional by default, and fails.
  if (isNamed && !areTexts && !('optional' in (given as object))) throw refused('Bad request.')
  if (typeof name !== 'string' || typeof type !== 'string')
    throw refused(
      'Wrong format for `fields`. It should be an array of objects containing `name`, `type`, `optional` and `facet` properties.',
    )
  const sort = rest.sort ?? (SORTED.has(type) && (rest.num_dim === undefined || facet === true))
  const boolean = (property: string, value: unknown) => {
    if (typeof value !== 'boolean')
      throw refused(`The \`${property}\` property of the field \`${name}\` should be a boolean.`)
    return value
  }
  boolean('store', store)
  if (rest.drop !== undefined)
    throw refused(`Invalid property \`drop\` on field \`${name}\`: it is allowed only during schema update.`)
  for (const [property, value] of Object.entries({ facet, optional, index, sort, infix }))
    boolean(property, value)
  if (typeof locale !== 'string')
    throw refused(`The \`locale\` property of the field \`${name}\` should be a string.`)
  if (locale !== '' && Buffer.byteLength(locale) !== 2)
    throw refused(`The \`locale\` value of the field \`${name}\` is not valid.`)
  if (typeof reference !== 'string') throw refused('Reference should be a string.')
  boolean('stem', stem)
  if (stem === true && !TEXTS.test(type))
    throw refused('The `stem` property is only allowed for string and string[] fields.')
  boolean('range_index', range_index)
  if (range_index === true && !NUMBERS.test(type))
    throw refused('The `range_index` property is only allowed for the numerical fields`')
  const vector = readVector(type, facet === true, sort === true, rest)
  const token_separators = signs('token_separators', rest.token_separators)
  const symbols_to_index = signs('symbols_to_index', rest.symbols_to_index)
  return {
    name,
    type,
    facet: facet === true,
    index: index === true,
    infix: infix === true,
    locale,
    optional: optional === true,
    sort: sort === true,
    stem: stem === true,
    stem_dictionary: '',
    store: store === true,
    ...(range_index === true && { range_index }),
    ...(token_separators.length > 0 && { token_separators }),
    ...(symbols_to_index.length > 0 && { symbols_to_index }),
    ...vector,
  }
}

function readVector(
  type: string,
  isFacet: boolean,
  isSorted: boolean,
  { num_dim = 0, vec_dist, hnsw_params }: Record<string, unknown>,
): Partial<Field> {
  if (!isCount(num_dim)) throw refused('Property `num_dim` must be a positive integer.')
  const dimension = num_dim as number
  if (dimension > 0) {
    if (type !== 'float[]') throw refused('Property `num_dim` is only allowed on a float array field.')
    if (isFacet) throw refused('Property `facet` is not allowed on a vector field.')
    if (isSorted) throw refused('Property `sort` cannot be enabled on a vector field.')
    if (vec_dist !== undefined && typeof vec_dist !== 'string')
      throw refused('Property `vec_dist` must be a string.')
    if (vec_dist !== undefined && vec_dist !== 'cosine' && vec_dist !== 'ip')
      throw refused('Property `vec_dist` is invalid.')
  }
  const graph = hnsw_params === undefined ? {} : (hnsw_params as Record<string, unknown>)
  if (
    hnsw_params !== undefined &&
    (hnsw_params === null || typeof hnsw_params !== 'object' || Array.isArray(hnsw_params))
  )
    throw refused('Property `hnsw_params` must be an object.')
  for (const name of ['ef_construction', 'M'])
    if (graph[name] !== undefined && (!isCount(graph[name]) || graph[name] === 0))
      throw refused(`Property \`hnsw_params.${name}\` must be a positive integer.`)
  if (dimension === 0) return {}
  return {
    num_dim: dimension,
    vec_dist: String(vec_dist ?? 'cosine'),
    hnsw_params: { M: Number(graph.M ?? 16), ef_construction: Number(graph.ef_construction ?? 200) },
  }
}

/** Reads a list of one-byte characters, which excludes typographic ones. @throws RequestFailure */
function signs(property: string, given: unknown): string[] {
  const list = Array.isArray(given) ? given : given === undefined || given === null ? [] : [given]
  if (!list.every(isSign)) throw refused(`The \`${property}\` must be an array of characters.`)
  return list as string[]
}

/** The checks that the server makes after reading every field. @throws RequestFailure */
export function checkFields(fields: readonly Field[], sorting: string): void {
  for (const field of fields) {
    const { name, type } = field
    if (!TYPES.test(type))
      throw refused(
        `Field \`${name}\` has an invalid data type \`${type}\`, see docs for supported data types.`,
      )
    if (name === sorting && !field.sort)
      throw refused(`Default sorting field \`${name}\` is not a sortable type.`)
    if (name === sorting && field.optional)
      throw refused(`Default sorting field \`${name}\` cannot be an optional field.`)
    if (!field.index && field.facet)
      throw refused(`Field \`${name}\` cannot be a facet since it's marked as non-indexable.`)
    if (field.sort && !SORTED.has(type) && type !== 'string' && !type.startsWith('geo'))
      throw refused(`Field \`${name}\` cannot be a sortable field.`)
  }
  if (sorting !== '' && !fields.some(({ name }) => name === sorting))
    throw refused(`Default sorting field is defined as \`${sorting}\` but is not found in the schema.`)
  if (new Set(fields.map(({ name }) => name)).size < fields.length)
    throw refused('There are duplicate field names in the schema.')
}
