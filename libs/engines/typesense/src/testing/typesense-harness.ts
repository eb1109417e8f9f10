import type { Embedder } from '@daybook/embeddings/embedder'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { embedQueue } from '@daybook/embeddings/testing/embed-queue'
import { createJournalWriter, type JournalWriter } from '@daybook/journal/append/journal-writer'
import { readJournal } from '@daybook/journal/read/read'
import { appendCommands } from '@daybook/journal/testing/append-commands'
import type { Command } from '@daybook/memory/commands'
import type { Memory } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import {
  TEST_DATABASES,
  type TestDatabase,
  type TestDatabaseKind,
} from '@daybook/postgres/testing/test-database'
import { applyWithParking } from '@daybook/projection/apply/apply-with-parking'
import type { Generation } from '@daybook/projection/generations/generations'
import { ensureLiveGeneration } from '@daybook/projection/generations/swap-generations'
import type { Projection } from '@daybook/projection/projection'
import { silentLogger } from '@daybook/runtime/logger'
import {
  newTestName,
  type TestTypesense,
  TYPESENSE_SERVERS,
  type TypesenseKind,
} from '@daybook/typesense-double/typesense-servers'
import { createTypesenseClient, type TypesenseClient } from '../client/client.ts'
import { collectionName } from '../write/collection.ts'
import { TYPESENSE_LAYOUT } from '../write/generation.ts'
import { keepCollection } from '../write/keep-collection.ts'
import { typesenseProjection } from '../write/typesense-projection.ts'
import { writeAllVectors } from '../write/write-vectors.ts'
import {
  createGenerationWriter,
  type GenerationWriter,
  type GenerationWriterOptions,
} from '../write/writer.ts'
import { checkTypesense } from './check-typesense.ts'

/** A journal, a Typesense and its projection. Nothing runs by itself: the test makes every step. */
export interface TypesenseHarness extends TestDatabase {
  readonly typesense: TestTypesense
  readonly client: TypesenseClient
  readonly generation: Generation
  /** The prefix of the collections' names, and the alias; unique to this harness. */
  readonly base: string
  readonly writer: JournalWriter
  readonly generationWriter: GenerationWriter
  readonly projection: Projection
  /** Compares words only, and splits texts after 32 of them. */
  readonly embedder: Embedder
  /** A further writer of the same generation, as in another process. */
  replica(options?: Partial<GenerationWriterOptions>): {
    generationWriter: GenerationWriter
    projection: Projection
  }
  /** Writes to the journal only. Throws what the command throws. */
  append(scope: ProjectScope, ...commands: Command[]): Promise<Memory[]>
  /** Applies the events beyond the position in batches of `size`; events that are refused are parked. */
  apply(scope: ProjectScope, size?: number): Promise<void>
  /** Embeds the queued texts. */
  embed(): Promise<void>
  /** Writes the stored vectors to the documents that wait. */
  fill(): Promise<void>
  /** The differences between documents and journal. */
  check(scope: ProjectScope): Promise<string[]>
}

/** Each database with each server, for `describe.each`. */
export const PLACES = TEST_DATABASES.flatMap((database) =>
  TYPESENSE_SERVERS.map((server) => ({ database, server, name: `${database.name}, ${server.name}` })),
)

/** Starts the harness on a new test database and server. */
export async function startTypesenseHarness(
  { start }: Pick<TestDatabaseKind, 'start'>,
  server: TypesenseKind,
): Promise<TypesenseHarness> {
  const database = await start()
  const { db } = database
  const typesense = await server.start()
  const embedder = createHashEmbedder({ dimension: 16, maxTokens: 32 })
  const base = newTestName()
  const generation = await ensureLiveGeneration(db, TYPESENSE_LAYOUT, embedder)
  const client = createTypesenseClient({ url: typesense.url, apiKey: typesense.apiKey })
  const replica = (options: Partial<GenerationWriterOptions> = {}) => {
    const generationWriter = createGenerationWriter({
      client,
      generation,
      logger: silentLogger,
      base,
      ...options,
    })
    return { generationWriter, projection: typesenseProjection(db, generationWriter) }
  }
  const { generationWriter, projection } = replica()
  const writer = createJournalWriter(() => {})
  await keepCollection(db, generationWriter)

  return {
    ...database,
    typesense,
    client,
    generation,
    base,
    writer,
    generationWriter,
    projection,
    embedder,
    replica,
    append: (scope, ...commands) => appendCommands(writer, scope, commands),
    async apply(scope, size = 100) {
      for (;;) {
        const from = await projection.position(scope)
        const records = await readJournal(scope, { after: from.sequence, limit: size })
        if (records.length === 0) return
        await applyWithParking(scope, projection, from, records, () => {})
      }
    },
    embed: () => embedQueue(db, embedder),
    fill: () => writeAllVectors(db, generationWriter),
    check: (scope) => checkTypesense(scope, { client, generation, base, restMs: 0 }),
    async stop() {
      if (typesense.faults === null) await removeCollections(client, base, generation)
      client.close()
      await typesense.stop()
      await database.stop()
    },
  }
}

/**
 * Deletes by the collection's own name, never by the alias, which would delete whichever collection is live.
 */
async function removeCollections(
  client: TypesenseClient,
  base: string,
  { generation }: Generation,
): Promise<void> {
  await client.request((typesense) => typesense.aliases(base).delete())
  await client.request((typesense) => typesense.collections(collectionName(generation, base)).delete())
}
