import type { CollectionFieldSchema } from 'typesense'

/**
 * Signs at which Typesense cuts the text into words, besides blanks. Without them they would vanish without a trace:
 * `auth-flow` would be the one word `authflow`, which "auth" does not find.
 */
const SEPARATORS = [...'-_/\\.,:;()[]{}<>"\'`=+*&|@#?!~^%$“”‘’„«»–—…']

const filterable = { facet: true } as const
const optional = { optional: true } as const

/**
 * The fields of a document, by name. Texts for filters are facets, which Typesense keeps verbatim. Times are milliseconds
 * since 1970. Chunk 0 is the memory itself; the others carry a further vector each, and what filters need.
 */
const FIELDS = {
  project_id: { type: 'string', ...filterable },
  memory_id: { type: 'string' },
  chunk: { type: 'int32' },
  kind: { type: 'string', ...filterable },
  labels: { type: 'string[]', ...filterable },
  categories: { type: 'string[]', ...filterable },
  importance: { type: 'int32' },
  context: { type: 'string', ...filterable, ...optional },
  agent: { type: 'string', ...filterable, ...optional },
  key: { type: 'string', ...optional },
  title: { type: 'string', ...optional },
  text: { type: 'string', stem: true, ...optional },
  length: { type: 'int32' },
  occurred_at: { type: 'int64', ...optional },
  created_at: { type: 'int64' },
  updated_at: { type: 'int64' },
  expires_at: { type: 'int64', ...optional },
  sequence: { type: 'int64' },
  version: { type: 'int32' },
  forgotten: { type: 'bool' },
  embedding: { type: 'float[]', ...optional },
  span_start: { type: 'int32', ...optional },
  span_end: { type: 'int32', ...optional },
} as const satisfies Record<string, Omit<CollectionFieldSchema, 'name'>>

export type FieldName = keyof typeof FIELDS

/** Every field that documents have besides their `id`. */
export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[]

/** The fields as Typesense is given them; `dimension` is of the vectors, which are compared by cosine. */
export function collectionFields(dimension: number): CollectionFieldSchema[] {
  return FIELD_NAMES.map((name) => ({
    name,
    ...FIELDS[name],
    ...(name === 'text' && { token_separators: SEPARATORS }),
    ...(name === 'embedding' && { num_dim: dimension, vec_dist: 'cosine' }),
  }))
}
