import type { ReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import type { EngineSlot } from '@daybook/projection/engine/search-engine'
import { ensureLiveGeneration } from '@daybook/projection/generations/swap-generations'
import { silentLogger } from '@daybook/runtime/logger'
import type { AttachedEngine } from '@daybook/search/testing/attached-engine'
import {
  newTestName,
  type TestTypesense,
  type TypesenseKind,
} from '@daybook/typesense-double/typesense-servers'
import { createTypesenseClient } from '../client/client.ts'
import { typesenseSearchEngine } from '../search/search-engine.ts'
import { createTypesenseSearch, type TypesenseSearch } from '../search/typesense-search.ts'
import { collectionName } from '../write/collection.ts'
import { TYPESENSE, TYPESENSE_LAYOUT } from '../write/generation.ts'
import { keepCollection } from '../write/keep-collection.ts'
import { typesenseProjection } from '../write/typesense-projection.ts'
import { writeAllVectors } from '../write/write-vectors.ts'
import { createGenerationWriter } from '../write/writer.ts'

interface SearchOptions {
  readonly timeoutMs?: number
  readonly probeAfterMs?: number
}

/** A Typesense engine attached to a test's read model. */
export interface AttachedTypesense extends AttachedEngine {
  readonly server: TestTypesense
  readonly alias: string
  /** Opens further searches, with a circuit of their own. */
  newSearch(options?: SearchOptions): TypesenseSearch
  newSlot(options?: SearchOptions): EngineSlot
}

/** Starts a server and attaches it to a test's read model, with collection names of its own. */
export async function attachTypesense(
  { db, embedder }: Pick<ReadModelHarness, 'db' | 'embedder'>,
  server: TypesenseKind,
): Promise<AttachedTypesense> {
  const running = await server.start()
  const alias = newTestName()
  const client = createTypesenseClient({ url: running.url, apiKey: running.apiKey })
  const generation = await ensureLiveGeneration(db, TYPESENSE_LAYOUT, embedder)
  const writer = createGenerationWriter({ client, generation, logger: silentLogger, base: alias })
  await keepCollection(db, writer)
  const searches: TypesenseSearch[] = []
  const newSearch = (options: SearchOptions = {}) => {
    const search = createTypesenseSearch({
      url: running.url,
      apiKey: running.apiKey,
      base: alias,
      timeoutMs: 240_000,
      ...options,
    })
    searches.push(search)
    return search
  }
  const newSlot = (options?: SearchOptions): EngineSlot => ({
    name: TYPESENSE,
    setting: 'TYPESENSE_URL',
    search: typesenseSearchEngine(newSearch(options)),
  })
  return {
    server: running,
    alias,
    newSearch,
    newSlot,
    slot: newSlot(),
    projection: typesenseProjection(db, writer),
    fillVectors: () => writeAllVectors(db, writer),
    async stop() {
      for (const search of searches) search.close()
      // By the collection's own name: the alias would delete whichever is live.
      if (running.faults === null) {
        await client.request((one) => one.collections(collectionName(generation.generation, alias)).delete())
        await client.request((one) => one.aliases(alias).delete())
      }
      client.close()
      await running.stop()
    },
  }
}
