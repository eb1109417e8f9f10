import type { CollectionFieldSchema } from 'typesense'

const filterable = { facet: true } as const
const optional = { optional: true } as const
/** Kept for people who look into Typesense; it takes no memory of the server. */
const shown = { index: false, optional: true } as const

/**
 * The version of a collection's fields and of what documents hold in them. One more whenever they become others. Live generations
 * of another version are rebuilt by themselves; a collection that is not what its generation says is made anew.
 *
 * 1  texts, which Typesense cut into words in its own way
 * 2  `lexemes`: the words as Postgres has them
 */
export const LAYOUT_VERSION = 2

/**
 * The fields of a document, by name. Texts for filters are facets, which Typesense keeps verbatim. Times are milliseconds
 * since 1970. Chunk 0 is the memory itself; the others carry a further vector each, and what filters need. Words are searched in
 * `lexemes` alone (`lexemes.ts`): no separators and no stemming of Typesense's own, whose `token_separators` are single bytes
 * and could name no typographic sign.
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
  key: { type: 'string', ...shown },
  title: { type: 'string', ...shown },
  text: { type: 'string', ...shown },
  lexemes: { type: 'string', ...optional },
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
    ...(name === 'embedding' && { num_dim: dimension, vec_dist: 'cosine' }),
  }))
}
