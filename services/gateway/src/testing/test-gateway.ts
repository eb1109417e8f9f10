import type { Embedder } from '@daybook/embeddings/embedder'
import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { createJournalWriter } from '@daybook/journal/append/journal-writer'
import { newId } from '@daybook/memory/id'
import { openPgvector } from '@daybook/pgvector/engine'
import { startAccessTracker } from '@daybook/pgvector/read/access'
import { createApiKey } from '@daybook/postgres/access/api-keys'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import type { TestDatabase, TestDatabaseKind } from '@daybook/postgres/testing/test-database'
import type { OnCommitted } from '@daybook/process/open-bus'
import { openQueueWorkers } from '@daybook/process/open-embedders'
import { startEngine } from '@daybook/projection/engine/engine'
import type { EngineSlot } from '@daybook/projection/engine/search-engine'
import type { GenerationApplier } from '@daybook/projection/generations/apply-to-generations'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { readConfig } from '@daybook/runtime/config'
import { type Logger, silentLogger } from '@daybook/runtime/logger'
import { createMetrics, type ServiceMetrics } from '@daybook/runtime/metrics'
import { homesAs } from '@daybook/sync/follower/home-client'
import { routeToHomes } from '@daybook/sync/follower/route-to-homes'
import { startSync } from '@daybook/sync/follower/start-sync'
import type { Bus } from '@daybook/transport/bus'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { afterAll, beforeAll, beforeEach } from 'vitest'
import { type Gateway, startGateway } from '../start.ts'

/** A real gateway with its projector in this process, on a database that suites share. */
export interface TestGateway {
  readonly gateway: Gateway
  /** A client of a new project. @param admin whether its key may run the whole Daybook; default no */
  newClient(admin?: boolean): Promise<TestClient>
  /** The same client at this gateway, where another gave it its key on the same database. */
  client(of: Pick<TestClient, 'key' | 'projectId'>): TestClient
  /** Ends its projector, so that nobody writes. */
  stopProjector(): Promise<void>
  /** Begins one again, after `stopProjector`. */
  startProjector(): Promise<void>
  /** How long reads wait for their `atLeast` from now on, in milliseconds. Default: as long as a test. */
  waitAtMost(milliseconds?: number): void
  stop(): Promise<void>
}

/** Sends requests with one key. */
export interface TestClient {
  readonly url: string
  readonly key: string
  readonly projectId: string
  /** Sends a GraphQL request as any client would. */
  send(query: string, variables?: object): Promise<Reply>
  /** The same; throws where the answer holds errors. */
  // oxlint-disable-next-line no-explicit-any -- the shape of an answer is what the tests assert
  data(query: string, variables?: object): Promise<Record<string, any>>
}

/** A GraphQL answer. */
export interface Reply {
  readonly status: number
  readonly body: {
    readonly data?: Record<string, unknown> | null
    readonly errors?: readonly { readonly message: string; readonly extensions?: Record<string, unknown> }[]
  }
}

const DIMENSION = 64
/** A little less than a test may take. */
const PATIENCE_MS = 240_000

/** @param embedder null: no embedder is configured; absent: the deterministic one for tests */
export async function startTestGateway(
  database: TestDatabase,
  embedder: Embedder | null = createHashEmbedder({ dimension: DIMENSION }),
  {
    logger = silentLogger,
    metrics = createMetrics({ service: 'gateway' }),
    engines = [],
    environment = {},
    bus = createInProcessBus(),
    follows = false,
  }: {
    logger?: Logger
    metrics?: ServiceMetrics
    /** What searches may ask for beside Postgres. Default nothing. */
    engines?: readonly EngineSlot[]
    /** Settings as checks see them. */
    environment?: Readonly<Record<string, string>>
    /** What events travel on. Default one that works. */
    bus?: Bus
    /** Whether it follows projects of other Daybooks. */
    follows?: boolean
  } = {},
): Promise<TestGateway> {
  const { db } = database
  const signal = createPositionSignal()
  const writer = createJournalWriter((projectId, events) => bus.publish(projectId, events), metrics, logger)
  const access = startAccessTracker(db, silentLogger, 50)
  const embedders = fixedEmbedders(embedder === null ? [] : [embedder], {
    modelId: embedder?.modelId ?? `test-hash/${DIMENSION}`,
    dimension: embedder?.dimension ?? DIMENSION,
  })
  const workers = openQueueWorkers({ db, embedders, metrics }, { logger })
  const model = embedders.preferred
  // Off unless a test asks for it: others damage what it would mend.
  const config = readConfig({
    DAYBOOK_EMBEDDER: `test-hash/${DIMENSION}`,
    DAYBOOK_SELF_CHECK: 'off',
    ...environment,
  })
  const { selfCheckMs } = config
  const startProjector = () =>
    startEngine(openPgvector({ oneConnection: false, indexWorkers: 0 }), {
      db,
      bus,
      signal,
      logger,
      workers,
      model,
      selfCheckMs,
      metrics,
    })
  let projector: GenerationApplier | null = await startProjector()
  const homeOf = homesAs('a test')
  const onCommitted: OnCommitted = (projectId, events) => void bus.publish(projectId, events)
  const sync = follows ? startSync({ db, homeOf, onCommitted, logger, metrics }) : undefined
  const branched: OnCommitted = (projectId, events) => {
    onCommitted(projectId, events)
    sync?.written()
  }
  const routed = routeToHomes(writer, { homeOf, onCommitted: branched })
  let waitMs = PATIENCE_MS
  const parts = {
    db,
    waitMs: () => waitMs,
    writer: routed,
    homeOf,
    sync,
    bus,
    signal,
    embedders,
    engines,
    access,
    logger,
    config,
    metrics,
  }
  const gateway = await startGateway(parts, { host: config.host, port: 0 })
  return {
    gateway,
    async newClient(admin = false) {
      const { projectId } = await database.newProject()
      return testClient(
        gateway.url,
        await asOwner(database, (owner) => createApiKey(owner, projectId, `key-${newId()}`, { admin })),
        projectId,
      )
    },
    client: ({ key, projectId }) => testClient(gateway.url, key, projectId),
    async stopProjector() {
      await projector?.stop()
      projector = null
    },
    async startProjector() {
      projector = await startProjector()
    },
    waitAtMost(milliseconds = PATIENCE_MS) {
      waitMs = milliseconds
    },
    async stop() {
      await gateway.stop()
      await sync?.stop()
      await projector?.stop()
      await access.stop()
      await embedder?.close()
    },
  }
}

/** What the tests of a suite share. It exists from the suite's first test on. */
export interface GatewaySuite {
  readonly database: TestDatabase
  readonly running: TestGateway
  /** A client of the test's own project. */
  readonly client: TestClient
}

/** Runs a gateway on its own database for the calling suite, and gives each test a new project. */
export function useTestGateway(start: TestDatabaseKind['start']): GatewaySuite {
  let database: TestDatabase
  let running: TestGateway
  let client: TestClient
  beforeAll(async () => {
    database = await start()
    running = await startTestGateway(database)
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })
  beforeEach(async () => {
    client = await running.newClient()
  })
  return {
    get database() {
      return database
    },
    get running() {
      return running
    },
    get client() {
      return client
    },
  }
}

/** A client of a gateway, with a key that opens the project. */
export function testClient(url: string, key: string, projectId: string): TestClient {
  const send = async (query: string, variables: object = {}): Promise<Reply> => {
    const response = await fetch(`${url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables }),
    })
    return { status: response.status, body: (await response.json()) as Reply['body'] }
  }
  return {
    url,
    key,
    projectId,
    send,
    async data(query, variables) {
      const { body } = await send(query, variables)
      if (body.errors !== undefined || body.data == null) throw new Error(JSON.stringify(body.errors))
      return body.data
    },
  }
}

/** A `remember` that asks for everything a test may look at. */
export const REMEMBER = `mutation ($input: RememberInput!) {
  remember(input: $input) {
    __typename
    ... on Remembered { sequence duplicate memory { id kind title text labels version sequence } }
    ... on DaybookError { code message }
    ... on ValidationError { field }
    ... on ConflictError { currentVersion }
  }
}`

/** A subscription over SSE, as curl would read it. */
interface Listening {
  /** All that has come so far. */
  received(): string
  /** Leaves. @throws if it broke before */
  end(): Promise<void>
}

/** Subscribes over SSE, and reads until `end`. */
export async function listen(
  { url, key }: Pick<TestClient, 'url' | 'key'>,
  query: string,
  variables: object = {},
): Promise<Listening> {
  const leaving = new AbortController()
  const response = await fetch(`${url}/graphql`, {
    method: 'POST',
    signal: leaving.signal,
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      accept: 'text/event-stream',
    },
    body: JSON.stringify({ query, variables }),
  })
  let received = ''
  const reading = (async () => {
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>)
      received += Buffer.from(part).toString('utf8')
  })().catch((error: unknown) => {
    if (!leaving.signal.aborted) throw error
  })
  return {
    received: () => received,
    end() {
      leaving.abort()
      return reading
    },
  }
}
