import { randomUUID } from 'node:crypto'
import type { Generation } from '@daybook/projection/generations/generations'
import type { CollectionFieldSchema } from 'typesense'
import type { TypesenseClient } from '../client/client.ts'
import { orNull, TypesenseRefusedError, TypesenseUnavailableError } from '../client/errors.ts'

/** The alias of the live collection, and the prefix of every collection's name. */
export const DEFAULT_BASE_NAME = 'daybook_memories'

/** The collection of a generation: `daybook_memories_g1`. */
export function collectionName(generation: number, base = DEFAULT_BASE_NAME): string {
  return `${base}_g${generation}`
}

/**
 * Creates the generation's collection if it is missing, and recreates it if it has an earlier layout
 * (`LAYOUT_VERSION`), or vectors of another dimension: then a database of before, which is gone, made it, and it would
 * refuse every vector. Several processes may do it at once.
 * @returns an id of this incarnation of the collection; after the server lost its data it is another
 * @throws TypesenseUnavailableError, also if a later version of Daybook created the collection
 */
export async function ensureCollection(
  client: TypesenseClient,
  generation: Pick<Generation, 'generation' | 'dimension'>,
  base = DEFAULT_BASE_NAME,
): Promise<string> {
  const name = collectionName(generation.generation, base)
  const found = await retrieveCollection(client, name)
  const layout = layoutOf(found)
  if (layout > LAYOUT_VERSION)
    throw new TypesenseUnavailableError(
      `The collection ${name} has layout ${layout}, and this version of Daybook writes ${LAYOUT_VERSION}: start the later version again, or delete the collection`,
      false,
    )
  if (found !== null && layout === LAYOUT_VERSION && hasDimension(found, generation.dimension))
    return incarnationOf(found)
  if (found !== null) await deleteCollection(client, generation.generation, base)
  try {
    await client.request((typesense) =>
      typesense.collections().create({
        name,
        fields: collectionFields(generation.dimension),
        metadata: { incarnation: randomUUID(), layout: LAYOUT_VERSION },
      }),
    )
  } catch (error) {
    // Another process was faster, or a server that is still replaying its log after a restart has just found
    // the collection.
    if (!(error instanceof TypesenseRefusedError && error.status === 409)) throw error
  }
  const made = await retrieveCollection(client, name)
  if (made === null)
    throw new TypesenseUnavailableError(`The collection ${name} was created but is not there yet`, false)
  return incarnationOf(made)
}

/**
 * The layout version in the collection's metadata. If there is none: the current version if every field is
 * there, else 1.
 */
function layoutOf(found: FoundCollection | null): number {
  const { layout } = (found?.metadata ?? {}) as { layout?: unknown }
  if (typeof layout === 'number') return layout
  const names = new Set(found?.fields?.map(({ name }) => name))
  return FIELD_NAMES.every((name) => names.has(name)) ? LAYOUT_VERSION : 1
}

/** Whether its vectors have this dimension. True where the server does not say. */
const hasDimension = ({ fields }: FoundCollection, dimension: number): boolean =>
  (fields?.find(({ name }) => name === 'embedding')?.num_dim ?? dimension) === dimension

interface FoundCollection {
  readonly created_at: number
  readonly metadata?: object
  readonly fields?: readonly { readonly name: string; readonly num_dim?: number }[]
}

async function retrieveCollection(client: TypesenseClient, name: string): Promise<FoundCollection | null> {
  return orNull(client.request((typesense) => typesense.collections(name).retrieve()))
}

/** The id in its metadata; if the server keeps no metadata, the second of its creation. */
function incarnationOf({ metadata, created_at }: FoundCollection): string {
  const { incarnation } = (metadata ?? {}) as { incarnation?: unknown }
  return typeof incarnation === 'string' ? incarnation : `made at ${created_at}`
}

/**
 * Points the alias at the live generation's collection. Queries follow the row in Postgres; the alias is for
 * people and tools that look into Typesense.
 *
 * Nothing deletes by the alias's name: Typesense would resolve it and delete the live collection.
 */
export async function ensureAlias(
  client: TypesenseClient,
  generation: number,
  base = DEFAULT_BASE_NAME,
): Promise<void> {
  const alias = await orNull(client.request((typesense) => typesense.aliases(base).retrieve()))
  const collection_name = collectionName(generation, base)
  if (alias?.collection_name === collection_name) return
  await client.request((typesense) => typesense.aliases().upsert(base, { collection_name }))
}

/** Deletes a generation's collection by its own name. Does nothing if it is gone. */
export async function deleteCollection(
  client: TypesenseClient,
  generation: number,
  base = DEFAULT_BASE_NAME,
): Promise<void> {
  await orNull(
    client.request((typesense) => typesense.collections(collectionName(generation, base)).delete()),
  )
}

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
 *   5  words are indexed by their parts too (`libs/memory/src/word-parts.ts`)
 *   6  words are folded alike in each form of Unicode
 */
export const LAYOUT_VERSION = 6

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
