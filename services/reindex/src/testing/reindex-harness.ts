import type { Embedder } from '@daybook/embeddings/embedder'
import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import { createInMemoryEngine, IN_MEMORY, type InMemoryEngine } from '@daybook/in-memory-engine/engine'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { appendCommands } from '@daybook/journal/testing/append-commands'
import type { Command } from '@daybook/memory/commands'
import type { Memory } from '@daybook/memory/state'
import { note, rememberCommand } from '@daybook/memory/testing/commands'
import { hasEnded, type Operation } from '@daybook/operations/operation'
import type { OperationType, OptionsOf } from '@daybook/operations/operation-types'
import { readOperation } from '@daybook/operations/read'
import { type OperationRequest, requestOperation } from '@daybook/operations/request'
import { openPgvector } from '@daybook/pgvector/engine'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import {
  DATABASES_BESIDE_ENGINES,
  SERVICE_DATABASES,
  type TestDatabase,
  type TestDatabaseKind,
} from '@daybook/postgres/testing/test-database'
import { startEngine } from '@daybook/projection/engine/engine'
import { listGenerations, liveGeneration } from '@daybook/projection/generations/generations'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { pause } from '@daybook/runtime/backoff'
import { createLogger, silentLogger } from '@daybook/runtime/logger'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { createTypesenseClient, type TypesenseClient } from '@daybook/typesense/client/client'
import { openTypesense } from '@daybook/typesense/engine'
import { startOwnTypesense, type TestTypesense } from '@daybook/typesense-double/typesense-servers'
import { sql } from 'kysely'
import { type ReindexService, type ReindexServiceOptions, startReindex } from '../start.ts'

/** The model that everything begins with, and one of another dimension. */
export const SMALL = 'test-hash/24'
/** The id of a second embedding model, whose texts have token bits. */
export const OTHER = 'test-hash/40/token-bits-1'

/** Journal, both projections with their projectors, and the reindex service, in this process. */
export interface ReindexHarness extends TestDatabase {
  readonly typesense: TestTypesense
  readonly client: TypesenseClient
  readonly inMemory: InMemoryEngine
  append(scope: ProjectScope, ...commands: Command[]): Promise<Memory[]>
  remember(scope: ProjectScope, ...texts: string[]): Promise<Memory[]>
  /** Until both live generations have everything, vectors too. */
  settled(): Promise<void>
  startService(more?: Pick<ReindexServiceOptions, 'settleMs'>): ReindexService
  /** No projector is at work from here on. */
  stopPosting(): Promise<void>
  /** Queues an operation, and waits for its end. */
  run<Type extends OperationType>(
    type: Type,
    projection: string | null,
    options?: Partial<OptionsOf<Type>>,
  ): Promise<Operation<Type>>
  request<Type extends OperationType>(
    type: Type,
    projection: string | null,
    options?: Partial<OptionsOf<Type>>,
  ): Promise<Operation>
  ended(id: string): Promise<Operation>
  live(projection: string): Promise<number>
  /** `1 old, 2 live`; once those are gone that are being dropped. */
  generations(projection: string): Promise<string>
}

const ALL = {
  model: null,
  regenerateEmbeddings: false,
  kinds: null,
  projectId: null,
  incremental: false,
  repair: false,
  memoryIds: null,
  acceptParked: false,
  noted: null,
}

/**
 * What suites of rebuilds run on. Typesense's projection, which is elsewhere, gets to know no more of a second database.
 */
export const REBUILT = SERVICE_DATABASES.flatMap((database) =>
  (['pgvector', 'typesense'] as const)
    .filter((projection) => projection === 'pgvector' || DATABASES_BESIDE_ENGINES.includes(database))
    .map((projection) => ({ ...database, projection })),
)

/**
 * Starts a reindex service with everything that it works on.
 * @param projections those that it has. Default all three; each one less saves writing every event once more
 */
export async function startReindexHarness({
  start,
  projections,
}: Pick<TestDatabaseKind, 'start'> & {
  readonly projections?: readonly string[]
}): Promise<ReindexHarness> {
  const database = await start()
  const { db } = database
  const typesense = await startOwnTypesense()
  const client = createTypesenseClient({ url: typesense.url, apiKey: typesense.apiKey })
  const logger = process.env['DBG'] === undefined ? silentLogger : createLogger('test', 'debug')
  const small: Embedder = createHashEmbedder({ dimension: 24 })
  const embedders = fixedEmbedders([small, createHashEmbedder({ dimension: 40, tokenBits: true })])
  const bus = createInProcessBus()
  const signal = createPositionSignal()
  const writer = createJournalWriter((projectId, events) => bus.publish(projectId, events))
  const workers = createQueueWorkers({ db, embedders, logger, pollMs: 50 })
  const applying = { db, bus, signal, logger, workers }
  const inMemory = createInMemoryEngine()
  const engines = [
    openPgvector({ oneConnection: false, indexWorkers: 0 }),
    openTypesense({ url: typesense.url, apiKey: typesense.apiKey }),
    inMemory,
  ].filter((engine) => projections?.includes(engine.name) ?? true)
  const appliers = await Promise.all(
    engines.map((engine) => startEngine(engine, { ...applying, model: small, seenMs: 50, pollMs: 50 })),
  )
  const services = new Set<ReindexService>()

  const harness: ReindexHarness = {
    ...database,
    typesense,
    client,
    inMemory,
    append: (scope, ...commands) => appendCommands(writer, scope, commands),
    remember: (scope, ...texts) => harness.append(scope, ...texts.map((text) => rememberCommand(note(text)))),
    async settled() {
      for (;;) {
        const { rows } = await sql<{ open: number }>`
          select (select count(*) from generations live cross join journal_heads head
              left join positions place on place.projection = live.projection and place.generation = live.generation
                and place.project_id = head.project_id
              where live.status = 'live' and head.sequence > coalesce(place.position, 0))
            + (select count(*) from embeddings where embedded_at is null and last_error is null)
            + (select count(*) from typesense_pending_vectors) as open`.execute(db)
        const held = await liveGeneration(db, IN_MEMORY)
        const waiting = held === null ? 0 : await inMemory.projection(applying).pendingVectors(held)
        if (rows[0]?.open === 0 && waiting === 0) return
        await pause(20)
      }
    },
    startService(more = {}) {
      const service = startReindex({
        ...more,
        db,
        bus,
        signal,
        logger,
        embedders,
        workers,
        engines,
        keepOldMs: 3_600_000,
        // Longer than a test may be kept from renewing it.
        leaseMs: 240_000,
        pollMs: 50,
        // As often as the appliers above look.
        seenMs: 50,
      })
      services.add(service)
      return {
        async stop() {
          services.delete(service)
          await service.stop()
        },
      }
    },
    stopPosting: async () => {
      await Promise.all(appliers.splice(0).map((applier) => applier.stop()))
    },
    request: (type, projection, options = {}) =>
      requestOperation(db, {
        type,
        projection,
        options: { ...ALL, ...options },
        requestedBy: 'test',
      } as OperationRequest),
    async ended(id) {
      for (;;) {
        const operation = await readOperation(db, id)
        if (operation === null) throw new Error(`there is no operation ${id}`)
        if (hasEnded(operation)) return operation
        await pause(20)
      }
    },
    async run<Type extends OperationType>(
      type: Type,
      projection: string | null,
      options?: Partial<OptionsOf<Type>>,
    ) {
      const { id } = await harness.request(type, projection, options)
      return (await harness.ended(id)) as unknown as Operation<Type>
    },
    live: async (projection) => (await liveGeneration(db, projection))?.generation ?? 0,
    async generations(projection) {
      for (;;) {
        const all = await listGenerations(db, projection)
        if (all.every(({ status }) => status !== 'dropping'))
          return all.map(({ generation, status }) => `${generation} ${status}`).join(', ')
        await pause(50)
      }
    },
    async stop() {
      await Promise.all([...services].map((service) => service.stop()))
      await harness.stopPosting()
      client.close()
      for (const engine of engines) engine.close()
      await typesense.stop()
      await database.stop()
    },
  }
  return harness
}
