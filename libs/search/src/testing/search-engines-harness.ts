import { randomUUID } from 'node:crypto'
import { readJournal } from '@daybook/journal/read/read'
import { readable } from '@daybook/journal/read/stored-event'
import { type ReadModelHarness, startReadModelHarness } from '@daybook/pgvector/testing/read-model-harness'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { TestDatabaseKind } from '@daybook/postgres/testing/test-database'
import { silentLogger } from '@daybook/runtime/logger'
import { createTypesenseClient } from '@daybook/typesense/client/client'
import { collectionName } from '@daybook/typesense/write/collection'
import { ensureLiveGeneration } from '@daybook/typesense/write/generation'
import { keepCollection } from '@daybook/typesense/write/keep-collection'
import { typesenseProjection } from '@daybook/typesense/write/typesense-projection'
import { writeAllVectors } from '@daybook/typesense/write/write-vectors'
import { createGenerationWriter } from '@daybook/typesense/write/writer'
import {
  type TestTypesense,
  TYPESENSE_SERVERS,
  type TypesenseKind,
} from '@daybook/typesense-double/typesense-servers'
import type { SearchEngine } from '../engine/engine.ts'
import { createTypesenseSearch, type TypesenseSearch } from '../engine/typesense-search.ts'

/** An engine that search suites run on. */
export interface EngineKind {
  readonly name: string
  readonly engine: SearchEngine
  /** Null for Postgres. */
  readonly server: TypesenseKind | null
}

/** The engines, each a suite's parameter: Postgres, the double of Typesense and, where it is configured, a real one. */
export const ENGINES: readonly EngineKind[] = [
  { name: 'Postgres', engine: 'POSTGRES', server: null },
  ...TYPESENSE_SERVERS.map((server) => ({ name: server.name, engine: 'TYPESENSE', server }) as const),
]

/** What Typesense adds to a read model's harness, which then writes to both. */
export interface TypesenseAttached {
  readonly server: TestTypesense
  readonly alias: string
  /** Writes what Typesense does not have yet, without the read model. */
  apply(scope: ProjectScope): Promise<void>
  /** Writes what the read model does not have yet, without Typesense. */
  applyElsewhere(scope: ProjectScope): Promise<void>
  /** Another way to search it, with a circuit of its own. */
  newSearch(options?: { readonly timeoutMs?: number; readonly probeAfterMs?: number }): TypesenseSearch
}

export interface EngineHarness extends ReadModelHarness {
  readonly typesense: TypesenseAttached | null
  /** Null on Postgres. It waits for long: these suites are not about time. */
  readonly search: TypesenseSearch | null
}

export async function startEngineHarness(
  database: Pick<TestDatabaseKind, 'start'>,
  { server }: Pick<EngineKind, 'server'>,
  options: { readonly dimension?: number } = {},
): Promise<EngineHarness> {
  const harness = await startReadModelHarness(database, options)
  if (server === null) return { ...harness, typesense: null, search: null }
  const { db, embedder } = harness
  const running = await server.start()
  const alias = `daybook_test_${randomUUID().replaceAll('-', '')}`
  const client = createTypesenseClient({ url: running.url, apiKey: running.apiKey })
  const generation = await ensureLiveGeneration(db, embedder)
  const writer = createGenerationWriter({ client, generation, logger: silentLogger, base: alias })
  const projection = typesenseProjection(db, writer)
  await keepCollection(db, writer)
  const searches: TypesenseSearch[] = []
  const typesense: TypesenseAttached = {
    server: running,
    alias,
    async apply(scope) {
      for (;;) {
        const from = await projection.position(scope)
        const events = (await readJournal(scope, { after: from.sequence, limit: 100 })).map(readable)
        const last = events.at(-1)
        if (last === undefined) return
        await projection.apply(scope, { from, to: last, events, parked: [], erased: [] })
      }
    },
    applyElsewhere: (scope) => harness.apply(scope),
    newSearch(more = {}) {
      const search = createTypesenseSearch({
        url: running.url,
        apiKey: running.apiKey,
        base: alias,
        timeoutMs: 10_000,
        ...more,
      })
      searches.push(search)
      return search
    },
  }
  const both: EngineHarness = {
    ...harness,
    typesense,
    search: typesense.newSearch(),
    async remember(scope, ...inputs) {
      const memories = await harness.remember(scope, ...inputs)
      await both.apply(scope)
      await both.embed()
      return memories
    },
    async apply(scope, size) {
      await harness.apply(scope, size)
      await typesense.apply(scope)
    },
    async embed() {
      await harness.embed()
      await writeAllVectors(db, writer)
    },
    async stop() {
      for (const search of searches) search.close()
      // By its own name: by the alias' it would be whichever is live.
      if (running.faults === null) {
        await client.request((one) => one.collections(collectionName(generation.generation, alias)).delete())
        await client.request((one) => one.aliases(alias).delete())
      }
      client.close()
      await running.stop()
      await harness.stop()
    },
  }
  return both
}
