import type { Generation } from '@daybook/projection/generations/generations'
import { reasonOf } from '@daybook/runtime/reason-of'
import type { TypesenseClient } from '../client/client.ts'
import { orNull, TypesenseUnavailableError } from '../client/errors.ts'
import { collectionName, DEFAULT_BASE_NAME } from '../write/collection.ts'

/** What a look at the server found. */
export interface TypesenseFacts {
  /** Why it cannot be used, in words; null where it can. */
  readonly problem: string | null
  /** Null where it is unavailable, or the key may not ask for it. */
  readonly version: string | null
  /** Documents in the live generation's collection; null where there is no such collection, or it cannot be seen. */
  readonly documents: number | null
  /** The collection that the alias points to; null where there is no alias, or it cannot be seen. */
  readonly alias: string | null
}

/** Looks at the server, the live generation's collection and the alias. It changes nothing. */
export async function inspectTypesense(
  client: TypesenseClient,
  { generation }: Pick<Generation, 'generation'>,
  base = DEFAULT_BASE_NAME,
): Promise<TypesenseFacts> {
  const nothing = { version: null, documents: null, alias: null }
  try {
    // Needs no key, and says no while the server reads its log after a restart.
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
    // A key for Daybook's collections alone is enough for everything else.
    if (error instanceof TypesenseUnavailableError) return null
    throw error
  }
}
