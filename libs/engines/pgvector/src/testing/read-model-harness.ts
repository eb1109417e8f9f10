import type { Embedder } from '@daybook/embeddings/embedder'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { embedQueue } from '@daybook/embeddings/testing/embed-queue'
import type { AppendRequest } from '@daybook/journal/append/append-request'
import { createJournalWriter, type JournalWriter } from '@daybook/journal/append/journal-writer'
import { readJournal } from '@daybook/journal/read/read'
import { appendCommands } from '@daybook/journal/testing/append-commands'
import { NOBODY } from '@daybook/journal/testing/requests'
import type { Command, RememberInput } from '@daybook/memory/commands'
import type { Memory } from '@daybook/memory/state'
import { rememberCommand } from '@daybook/memory/testing/commands'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { TestDatabase, TestDatabaseKind } from '@daybook/postgres/testing/test-database'
import { applyWithParking } from '@daybook/projection/apply/apply-with-parking'
import { ensureLiveGeneration } from '@daybook/projection/generations/make-generation'
import type { Projection } from '@daybook/projection/projection'
import { type LiveReadModel, liveReadModel } from '../read/live-read-model.ts'
import { PGVECTOR_LAYOUT } from '../write/create-generation.ts'
import { pgvectorProjection } from '../write/pgvector-projection.ts'
import { fillAllVectors } from '../write/write-vectors.ts'

/** A journal and a read model on a test database, stepped by hand: nothing runs by itself. */
export interface ReadModelHarness extends TestDatabase {
  readonly writer: JournalWriter
  readonly readModel: LiveReadModel
  readonly projection: Projection
  /** Knows words only: texts are alike as far as they share words. */
  readonly embedder: Embedder
  /** Writes to the journal only. Fails as the command does. */
  append(scope: ProjectScope, ...commands: Command[]): Promise<Memory[]>
  /** Remembers, and writes with vectors; what a test of reading begins with. */
  remember(scope: ProjectScope, ...inputs: RememberInput[]): Promise<Memory[]>
  /** Writes what the journal has beyond the position, in batches of `size`. */
  apply(scope: ProjectScope, size?: number): Promise<void>
  /** Embeds what is queued and gives it to the memories that wait. */
  embed(): Promise<void>
}

export const appendRequest = (command: Command): AppendRequest => ({ command, metadata: NOBODY })

/** @param dimension of the hash embedder; small, as an HNSW index is slow to fill. */
export async function startReadModelHarness(
  { start }: Pick<TestDatabaseKind, 'start'>,
  { dimension = 64 } = {},
): Promise<ReadModelHarness> {
  const database = await start()
  const { db } = database
  const embedder = createHashEmbedder({ dimension })
  const generation = await ensureLiveGeneration(db, PGVECTOR_LAYOUT, embedder)
  const readModel = await liveReadModel(db)
  const projection = pgvectorProjection(generation)
  const writer = createJournalWriter(() => {})

  const harness: ReadModelHarness = {
    ...database,
    writer,
    readModel,
    projection,
    embedder,
    append: (scope, ...commands) => appendCommands(writer, scope, commands),
    async remember(scope, ...inputs) {
      const memories = await harness.append(scope, ...inputs.map((input) => rememberCommand(input)))
      await harness.apply(scope)
      await harness.embed()
      return memories
    },
    async apply(scope, size = 100) {
      for (;;) {
        const from = await projection.position(scope)
        const records = await readJournal(scope, { after: from.sequence, limit: size })
        if (records.length === 0) return
        await applyWithParking(scope, projection, from, records, ({ error }) => {
          throw error
        })
      }
    },
    async embed() {
      await embedQueue(db, embedder)
      await fillAllVectors(db, readModel.tables, generation)
    },
  }
  return harness
}
