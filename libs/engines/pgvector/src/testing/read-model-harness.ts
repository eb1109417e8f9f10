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
import { ensureLiveGeneration } from '@daybook/projection/generations/swap-generations'
import type { Projection } from '@daybook/projection/projection'
import { type LiveReadModel, liveReadModel } from '../read/live-read-model.ts'
import { PGVECTOR_LAYOUT } from '../write/create-generation.ts'
import { pgvectorProjection } from '../write/pgvector-projection.ts'
import { fillAllVectors } from '../write/write-vectors.ts'

/** A journal and a read model on a test database. Nothing runs by itself: the test makes every step. */
export interface ReadModelHarness extends TestDatabase {
  readonly writer: JournalWriter
  readonly readModel: LiveReadModel
  readonly projection: Projection
  /** Compares words only: texts are similar as far as they share words. */
  readonly embedder: Embedder
  /** Writes to the journal only. Throws what the command throws. */
  append(scope: ProjectScope, ...commands: Command[]): Promise<Memory[]>
  /** Remembers memories and writes them to the read model, with vectors. */
  remember(scope: ProjectScope, ...inputs: RememberInput[]): Promise<Memory[]>
  /** Applies the events beyond the position, in batches of `size`. */
  apply(scope: ProjectScope, size?: number): Promise<void>
  /** Embeds the queued texts and writes their vectors to the memories that wait. */
  embed(): Promise<void>
}

/** A request to append a command, without metadata. */
export const appendRequest = (command: Command): AppendRequest => ({ command, metadata: NOBODY })

/** What the harness's embedder gives. */
export interface ReadModelOptions {
  /** Of the vectors; 64 by default, as filling an HNSW index is slow. */
  readonly dimension?: number
  /** Default false. */
  readonly tokenBits?: boolean
  /** The model that the vectors are said to be of, as how they are indexed depends on it. Default: their own. */
  readonly modelId?: string
}

/** Starts the harness on a new test database. */
export async function startReadModelHarness(
  { start }: Pick<TestDatabaseKind, 'start'>,
  { dimension = 64, tokenBits = false, modelId }: ReadModelOptions = {},
): Promise<ReadModelHarness> {
  const database = await start()
  const { db } = database
  const hashed = createHashEmbedder({ dimension, tokenBits })
  const embedder = { ...hashed, modelId: modelId ?? hashed.modelId }
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
