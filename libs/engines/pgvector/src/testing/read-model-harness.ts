import { embedInChunks } from '@daybook/embeddings/embed-in-chunks'
import type { Embedder } from '@daybook/embeddings/embedder'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { leaseTexts, storeVectors } from '@daybook/embeddings/store'
import type { AppendRequest } from '@daybook/journal/append/append-request'
import { createJournalWriter, type JournalWriter } from '@daybook/journal/append/journal-writer'
import { readJournal } from '@daybook/journal/read/read'
import type { Command, RememberInput } from '@daybook/memory/commands'
import { newId } from '@daybook/memory/id'
import type { Memory } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { TestDatabase, TestDatabaseKind } from '@daybook/postgres/testing/test-database'
import { applyWithParking } from '@daybook/projection/apply/apply-with-parking'
import { ensureLiveGeneration } from '@daybook/projection/generations/make-generation'
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

const METADATA = { actor: null, correlationId: null, causationId: null }

/** A request to append a command, without metadata. */
export const appendRequest = (command: Command): AppendRequest => ({ command, metadata: METADATA })
/** The input that remembers a note. */
export const note = (text: string, more: Omit<RememberInput, 'content'> = {}): RememberInput => ({
  content: { kind: 'note', fields: { text } },
  ...more,
})
/** The command that remembers an input. */
export const rememberCommand = (input: RememberInput, id = newId()): Command => ({
  type: 'remember',
  id,
  input,
})

/**
 * Starts the harness on a new test database.
 * @param dimension of the hash embedder's vectors; small by default, as filling an HNSW index is slow
 */
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
    async append(scope, ...commands) {
      const outcomes = await writer.appendMany(scope, commands.map(appendRequest))
      return outcomes.map((outcome) => {
        if ('error' in outcome) throw outcome.error
        return outcome.appended.memory
      })
    },
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
      for (;;) {
        const texts = await leaseTexts(db, embedder.modelId, { limit: 64 })
        if (texts.length === 0) break
        const chunks = await embedInChunks(
          embedder,
          texts.map(({ text }) => text),
        )
        await storeVectors(
          db,
          embedder.modelId,
          texts.map((text, index) => ({ ...text, chunks: chunks[index] ?? [] })),
        )
      }
      await fillAllVectors(db, readModel.tables, generation)
    },
  }
  return harness
}
