import type { CollectionFieldSchema } from 'typesense'

const filterable = { facet: true } as const
const optional = { optional: true } as const
/** Kept for people who look into Typesense. Takes none of the server's memory. */
const shown = { index: false, optional: true } as const

/**
 * The version of a collection's fields and of their content. Raise it with every change. Live generations
 * with another version are rebuilt automatically; a collection whose version differs from its generation's is
 * recreated.
 *
 *   1  texts, which Typesense split into words in its own way
 *   2  `lexemes`: the words as Postgres has them
 *   3  of folded words (`libs/memory/src/fold-words.ts`)
 *   4  `memory_id` is a facet, so that what is found is listed without reading documents; versions and
 *      spans are not indexed
 */
export const LAYOUT_VERSION = 4

/**
 * The fields of a document, by name. Texts for filters are facets, which Typesense keeps verbatim, and
 * so is the memory's id, which searches list (150 to 220 bytes each). Times are milliseconds since 1970. Chunk 0
 * is the memory itself; the other chunks carry a further vector each, and what filters need. Words are searched in `lexemes` only (`lexemes.ts`), without Typesense's own stemming
 * and separators: `token_separators` are single bytes, so typographic signs are impossible.
 */
const FIELDS = {
  project_id: { type: 'string', ...filterable },
  memory_id: { type: 'string', ...filterable },
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
  version: { type: 'int32', ...shown },
  forgotten: { type: 'bool' },
  embedding: { type: 'float[]', ...optional },
  span_start: { type: 'int32', ...shown },
  span_end: { type: 'int32', ...shown },
} as const satisfies Record<string, Omit<CollectionFieldSchema, 'name'>>

/** The name of a field of a document. */
export type FieldName = keyof typeof FIELDS

/** Every field of a document besides its `id`. */
export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[]

/** The fields in Typesense's format. Vectors have `dimension` numbers and are compared by cosine. */
export function collectionFields(dimension: number): CollectionFieldSchema[] {
  return FIELD_NAMES.map((name) => ({
    name,
    ...FIELDS[name],
    ...(name === 'embedding' && { num_dim: dimension, vec_dist: 'cosine' }),
  }))
}
