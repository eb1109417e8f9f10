import { type Collection, createCollection } from './collection.ts'
import { RequestFailure } from './reply.ts'
import { readSchema } from './schema.ts'

/** An API key with its permissions. */
export interface ApiKey {
  readonly id: number
  readonly value: string
  readonly description: string
  readonly actions: readonly string[]
  readonly collections: readonly string[]
  readonly autodelete: boolean
  readonly expires_at: number
}

/** Everything that the double stores. */
export interface Store {
  readonly collections: Map<string, Collection>
  readonly aliases: Map<string, string>
  readonly keys: ApiKey[]
  /** The collection with this name or alias. @throws RequestFailure 404 */
  collection(name: string): Collection
  clear(): void
  toJson(): Snapshot
}

/** What outlives the process. Keys do not. */
export interface Snapshot {
  readonly collections: readonly {
    readonly schema: Record<string, unknown>
    readonly createdAt: number
    readonly documents: readonly Record<string, unknown>[]
  }[]
  readonly aliases: readonly (readonly [string, string])[]
}

/** Creates a store, with a snapshot's content if one is given. */
export function createStore(snapshot?: Snapshot): Store {
  const collections = new Map<string, Collection>()
  const aliases = new Map<string, string>(snapshot?.aliases)
  const keys: ApiKey[] = []
  for (const { schema, createdAt, documents } of snapshot?.collections ?? []) {
    const collection = createCollection(readSchema(schema), createdAt)
    for (const document of documents) collection.write('upsert', document)
    collections.set(collection.schema.name, collection)
  }
  return {
    collections,
    aliases,
    keys,
    collection(name) {
      const found = collections.get(name) ?? collections.get(aliases.get(name) ?? '')
      if (found === undefined) throw new RequestFailure(404, 'Collection not found')
      return found
    },
    clear() {
      collections.clear()
      aliases.clear()
      keys.length = 0
    },
    toJson: () => ({
      collections: [...collections.values()].map(({ schema, createdAt, documents }) => ({
        schema: { ...schema },
        createdAt,
        documents: [...documents.values()].map(({ document }) => document),
      })),
      aliases: [...aliases],
    }),
  }
}
