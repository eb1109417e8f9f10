import type { Embedder } from '@daybook/embeddings/embedder'
import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import { startTestGateway, type TestGateway } from '@daybook/gateway/testing/test-gateway'
import { openPgvector } from '@daybook/pgvector/engine'
import type { DatabaseTransaction } from '@daybook/postgres/connect'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import {
  DATABASES_BESIDE_ENGINES,
  SERVICE_DATABASES,
  TEST_DATABASES,
  type TestDatabase,
  type TestDatabaseKind,
} from '@daybook/postgres/testing/test-database'
import { startEngine } from '@daybook/projection/engine/engine'
import type { GenerationApplier } from '@daybook/projection/generations/apply-to-generations'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { readReadings } from '@daybook/projection/positions/readings'
import { type ReindexService, startReindex } from '@daybook/reindex/start'
import { silentLogger } from '@daybook/runtime/logger'
import { createMetrics } from '@daybook/runtime/metrics'
import type { Bus } from '@daybook/transport/bus'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { createTypesenseClient, type TypesenseClient } from '@daybook/typesense/client/client'
import { openTypesense } from '@daybook/typesense/engine'
import { typesenseSearchEngine } from '@daybook/typesense/search/search-engine'
import { createTypesenseSearch } from '@daybook/typesense/search/typesense-search'
import { collectionName } from '@daybook/typesense/write/collection'
import { TYPESENSE_SERVERS, type TypesenseKind } from '@daybook/typesense-double/typesense-servers'

/** The parts of a Daybook in this process that a test may choose. */
export interface ComplainedOptions {
  /** Default: none. */
  readonly typesense?: TypesenseKind | null
  /** Default: the one for tests, which knows words and no meaning. */
  readonly embedder?: Embedder
  /** The bus of the first gateway. Default: one that works. */
  readonly bus?: Bus
  /** How many gateways, each with its own projector, on one database. Default 1. */
  readonly gateways?: number
  /** `DAYBOOK_SELF_CHECK`. Default 1s, a fifth of the product's. */
  readonly selfCheck?: string
}

/**
 * A whole Daybook on real parts: gateways with their projectors, the reindex service, and Typesense if a test
 * wants it. It runs in this process so that tests can damage it. Users see it through its API.
 */
export interface Complained {
  readonly database: TestDatabase
  readonly gateways: readonly TestGateway[]
  readonly typesense: TypesenseClient | null
  /** The Typesense collection of the first generation. */
  readonly collection: string
  /** Runs work that only the owner of the tables may do. */
  harm<T>(work: (trx: DatabaseTransaction) => Promise<T>): Promise<T>
  stopTypesenseProjector(): Promise<void>
  startTypesenseProjector(): Promise<void>
  stop(): Promise<void>
}

/** Starts such a Daybook. */
export async function startComplained(
  { start }: Pick<TestDatabaseKind, 'start'>,
  {
    typesense: server = null,
    embedder = createHashEmbedder({ dimension: 64 }),
    bus,
    gateways: count = 1,
    selfCheck = '1s',
  }: ComplainedOptions = {},
): Promise<Complained> {
  const stops: (() => Promise<void> | void)[] = []
  const database = await start()
  stops.push(() => database.stop())
  const { db } = database
  const typesense = server === null ? null : await server.start()
  if (typesense !== null) stops.push(() => typesense.stop())
  const client = typesense === null ? null : createTypesenseClient(typesense)
  if (client !== null) stops.push(() => client.close())

  const environment: Record<string, string> = { DAYBOOK_SELF_CHECK: selfCheck }
  if (typesense !== null) {
    environment['TYPESENSE_URL'] = typesense.url
    environment['TYPESENSE_API_KEY'] = typesense.apiKey
  }
  const gateways: TestGateway[] = []
  for (let n = 0; n < count; n += 1) {
    // A long timeout: the tests check what is found, not how fast.
    const search =
      typesense === null ? null : createTypesenseSearch({ ...typesense, timeoutMs: 240_000, probeAfterMs: 1 })
    const gateway = await startTestGateway(database, embedder, {
      engines:
        search === null
          ? []
          : [{ name: 'typesense', setting: 'TYPESENSE_URL', search: typesenseSearchEngine(search) }],
      environment,
      metrics: createMetrics({ service: `gateway-${n}`, read: () => readReadings(db, false) }),
      ...(n === 0 && bus !== undefined && { bus }),
    })
    gateways.push(gateway)
    stops.push(async () => {
      await gateway.stop()
      search?.close()
    })
  }

  const embedders = fixedEmbedders([embedder])
  const writer = {
    db,
    bus: createInProcessBus(),
    signal: createPositionSignal(),
    logger: silentLogger,
    workers: createQueueWorkers({ db, embedders, logger: silentLogger, pollMs: 100 }),
  }
  const reindex: ReindexService = startReindex({
    ...writer,
    embedders,
    engines: [
      openPgvector({ oneConnection: !database.address.ownSessions, indexWorkers: 0 }),
      ...(typesense === null ? [] : [openTypesense(typesense)]),
    ],
    keepOldMs: 60_000,
  })
  stops.push(() => reindex.stop())
  let projector: GenerationApplier | null = null
  const complained: Complained = {
    database,
    gateways,
    typesense: client,
    collection: collectionName(1),
    harm: (work) => asOwner(database, work),
    async stopTypesenseProjector() {
      await projector?.stop()
      projector = null
    },
    async startTypesenseProjector() {
      if (typesense === null) throw new Error('there is no Typesense')
      projector = await startEngine(openTypesense({ ...typesense, leaseMs: 3_000 }), {
        ...writer,
        model: embedder,
        pollMs: 100,
        selfCheckMs: selfCheck === '1s' ? 1_000 : 5_000,
      })
    },
    async stop() {
      await complained.stopTypesenseProjector()
      for (const stop of stops.toReversed()) await stop()
    },
  }
  if (typesense !== null) await complained.startTypesenseProjector()
  return complained
}

/** The databases, with and without Typesense, that can hold an index. Each complaint is tested on each kind. */
export const PLACES = [
  ...(SERVICE_DATABASES.length > 1 ? SERVICE_DATABASES : TEST_DATABASES.slice(0, 1)).map((database) => ({
    name: database.name,
    database,
    typesense: null,
    projection: 'pgvector',
    engine: 'POSTGRES' as const,
  })),
  ...TYPESENSE_SERVERS.flatMap((typesense) =>
    DATABASES_BESIDE_ENGINES.map((database) => ({
      name: `${database.name} with ${typesense.name} of Typesense`,
      database,
      typesense,
      projection: 'typesense',
      engine: 'TYPESENSE' as const,
    })),
  ),
]
