import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { startEngine } from '@daybook/projection/engine/engine'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { silentLogger } from '@daybook/runtime/logger'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { openTypesense } from '@daybook/typesense/engine'
import { typesenseSearchEngine } from '@daybook/typesense/search/search-engine'
import { createTypesenseSearch, type TypesenseSearch } from '@daybook/typesense/search/typesense-search'
import { startTypesenseDouble, type TypesenseDouble } from '@daybook/typesense-double/start-typesense-double'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { REMEMBER, startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

const SEARCH = `query ($engine: SearchEngine, $atLeast: Int) {
  search(query: "login", engine: $engine, atLeast: $atLeast) { engine degraded sequence hits { memory { title } } }
}`

interface Answer {
  readonly search: { engine: string; degraded: string[]; sequence: number; hits: unknown[] }
}

let database: TestDatabase
let double: TypesenseDouble
let typesense: TypesenseSearch
let gateway: TestGateway
let client: TestClient

beforeAll(async () => {
  const kind = TEST_DATABASES[0]
  if (kind === undefined) throw new Error('no database')
  database = await kind.start()
  double = await startTypesenseDouble({ apiKey: 'key-of-the-double' })
  // Patient: what is tested is who answers, not how soon.
  typesense = createTypesenseSearch({
    url: double.url,
    apiKey: double.apiKey,
    timeoutMs: 240_000,
    probeAfterMs: 1,
  })
  gateway = await startTestGateway(database, undefined, {
    engines: [{ name: 'typesense', setting: 'TYPESENSE_URL', search: typesenseSearchEngine(typesense) }],
  })
  client = await gateway.newClient()
  await client.data(REMEMBER, { input: { content: { note: { text: 'the login page' } } } })
})
afterAll(async () => {
  await gateway?.stop()
  typesense?.close()
  await double?.stop()
  await database?.stop()
})

const find = async (variables: object) => {
  const { search } = (await client.data(SEARCH, { atLeast: 1, ...variables })) as unknown as Answer
  return search
}

it('answers from Postgres, and says so, until Typesense has an index', async () => {
  for (const engine of ['AUTO', 'TYPESENSE'])
    expect(await find({ engine })).toMatchObject({
      engine: 'POSTGRES',
      degraded: expect.arrayContaining([
        expect.stringMatching(/^typesense has no index yet.*answered by Postgres$/),
      ]),
      hits: [{ memory: { title: 'the login page' } }],
    })
  expect((await find({ engine: 'POSTGRES' })).degraded.join()).not.toContain('typesense')
})

it('answers from Typesense once that has what is asked for, and from Postgres while it is unavailable', async () => {
  const projector = await startEngine(openTypesense({ url: double.url, apiKey: double.apiKey }), {
    db: database.db,
    bus: createInProcessBus(),
    signal: createPositionSignal(),
    logger: silentLogger,
    model: createHashEmbedder({ dimension: 64 }),
    workers: createQueueWorkers({
      db: database.db,
      embedders: fixedEmbedders([], { modelId: 'test-hash/64', dimension: 64 }),
      logger: silentLogger,
    }),
    pollMs: 20,
  })
  try {
    await vi.waitUntil(async () => (await find({})).engine === 'TYPESENSE')
    expect(await find({})).toMatchObject({ sequence: 1, hits: [{ memory: { title: 'the login page' } }] })
    expect((await find({ engine: 'POSTGRES' })).engine).toBe('POSTGRES')
    double.faults.notReady(true)
    expect(await find({})).toMatchObject({
      engine: 'POSTGRES',
      degraded: expect.arrayContaining(['typesense unreachable, answered by Postgres']),
      hits: [{ memory: { title: 'the login page' } }],
    })
    double.faults.notReady(false)
    await vi.waitUntil(async () => (await find({})).engine === 'TYPESENSE')
  } finally {
    await projector.stop()
  }
})
