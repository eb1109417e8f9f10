import { randomUUID } from 'node:crypto'
import type { Generation } from '@daybook/projection/generations/generations'
import type { TypesenseClient } from '../client/client.ts'
import { orNull, TypesenseRefusedError, TypesenseUnavailableError } from '../client/errors.ts'
import { collectionFields, FIELD_NAMES, LAYOUT_VERSION } from './schema.ts'

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
