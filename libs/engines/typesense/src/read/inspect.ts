import type { Generation } from '@daybook/projection/generations/generations'
import { reasonOf } from '@daybook/runtime/reason-of'
import type { TypesenseClient } from '../client/client.ts'
import { orNull, TypesenseUnavailableError } from '../client/errors.ts'
import { collectionName, DEFAULT_BASE_NAME } from '../write/collection.ts'

/** What `inspectTypesense` found. */
export interface TypesenseFacts {
  /** Why the server cannot be used, in words; null if it can. */
  readonly problem: string | null
  /** The server's version; null if the server is unavailable or the key may not read it. */
  readonly version: string | null
  /**
   * The number of documents in the live generation's collection; null if the collection is missing or cannot
   * be read.
   */
  readonly documents: number | null
  /** The collection that the alias points to; null if the alias is missing or cannot be read. */
  readonly alias: string | null
}

/** Inspects the server, the live generation's collection and the alias. Changes nothing. */
export async function inspectTypesense(
  client: TypesenseClient,
  { generation }: Pick<Generation, 'generation'>,
  base = DEFAULT_BASE_NAME,
): Promise<TypesenseFacts> {
  const nothing = { version: null, documents: null, alias: null }
  try {
    // Needs no key. It is false while the server replays its log after a restart.
    const { ok } = await client.request((typesense) => typesense.health.retrieve())
    if (!ok) return { ...nothing, problem: 'it answers, but says that it is not healthy' }
    const version = await readVersion(client)
    try {
      const collection = await orNull(
        client.request((typesense) => typesense.collections(collectionName(generation, base)).retrieve()),
      )
      const alias = await orNull(client.request((typesense) => typesense.aliases(base).retrieve()))
      const documents = collection?.num_documents ?? null
      return { problem: null, version, documents, alias: alias?.collection_name ?? null }
    } catch (error) {
      return { ...nothing, version, problem: reasonOf(error) }
    }
  } catch (error) {
    return { ...nothing, problem: reasonOf(error) }
  }
}

async function readVersion(client: TypesenseClient): Promise<string | null> {
  try {
    return (await client.request((typesense) => typesense.debug.retrieve())).version
  } catch (error) {
    // A key that covers only Daybook's collections is enough for everything else.
    if (error instanceof TypesenseUnavailableError) return null
    throw error
  }
}
