import { randomUUID } from 'node:crypto'
import type { Generation } from '@daybook/projection/generations/generations'
import type { TypesenseClient } from '../client/client.ts'
import { orNull, TypesenseRefusedError, TypesenseUnavailableError } from '../client/errors.ts'
import { collectionFields, FIELD_NAMES, LAYOUT_VERSION } from './schema.ts'

/** The alias of the live collection, and the beginning of every collection's name. */
export const DEFAULT_BASE_NAME = 'daybook_memories'

/** The collection of a generation: `daybook_memories_g1`. */
export function collectionName(generation: number, base = DEFAULT_BASE_NAME): string {
  return `${base}_g${generation}`
}

/**
 * Makes the generation's collection where it is not there, and anew where it has an earlier layout (`LAYOUT_VERSION`). Safe when
 * several do it at once.
 * @returns what tells this making of the collection from any other; a server that was wiped gives another
 * @throws TypesenseUnavailableError also where a later version of Daybook made it
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
  if (found !== null && layout === LAYOUT_VERSION) return incarnationOf(found)
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
    // Somebody else was faster; or a server that is still reading its log after a restart has found it there (trap 14).
    if (!(error instanceof TypesenseRefusedError && error.status === 409)) throw error
  }
  const made = await retrieveCollection(client, name)
  if (made === null)
    throw new TypesenseUnavailableError(`The collection ${name} was made and is not there yet`, false)
  return incarnationOf(made)
}

/** What it says; of a server that keeps no metadata, this one where it has every field. Collections before layouts said nothing. */
function layoutOf(found: FoundCollection | null): number {
  const { layout } = (found?.metadata ?? {}) as { layout?: unknown }
  if (typeof layout === 'number') return layout
  const names = new Set(found?.fields?.map(({ name }) => name))
  return FIELD_NAMES.every((name) => names.has(name)) ? LAYOUT_VERSION : 1
}

interface FoundCollection {
  readonly created_at: number
  readonly metadata?: object
  readonly fields?: readonly { readonly name: string }[]
}

async function retrieveCollection(client: TypesenseClient, name: string): Promise<FoundCollection | null> {
  return orNull(client.request((typesense) => typesense.collections(name).retrieve()))
}

/** Its own mark, or where a server keeps no metadata, the second in which it was made. */
function incarnationOf({ metadata, created_at }: FoundCollection): string {
  const { incarnation } = (metadata ?? {}) as { incarnation?: unknown }
  return typeof incarnation === 'string' ? incarnation : `made at ${created_at}`
}

/**
 * Lets the alias point at the live generation's collection. It follows the row in Postgres by which queries go, and is for
 * people and tools that look into Typesense.
 *
 * Nothing here deletes, and nothing may delete by the alias' name: Typesense resolves it and takes the live collection
 * (trap 12).
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

/** Deletes a generation's collection, by its own name; nothing where it is gone already. */
export async function deleteCollection(
  client: TypesenseClient,
  generation: number,
  base = DEFAULT_BASE_NAME,
): Promise<void> {
  await orNull(
    client.request((typesense) => typesense.collections(collectionName(generation, base)).delete()),
  )
}
