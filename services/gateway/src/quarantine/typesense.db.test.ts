import { fixedEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { createQueueWorkers } from '@daybook/embeddings/queue-workers'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { startEngine } from '@daybook/projection/engine/engine'
import type { GenerationApplier } from '@daybook/projection/generations/apply-to-generations'
import { createPositionSignal } from '@daybook/projection/positions/positions'
import { silentLogger } from '@daybook/runtime/logger'
import { createInProcessBus } from '@daybook/transport/in-process/in-process-bus'
import { createTypesenseClient } from '@daybook/typesense/client/client'
import { openTypesense } from '@daybook/typesense/engine'
import { typesenseSearchEngine } from '@daybook/typesense/search/search-engine'
import { createTypesenseSearch, type TypesenseSearch } from '@daybook/typesense/search/typesense-search'
import { deleteCollection } from '@daybook/typesense/write/collection'
import {
  newTestName,
  type TestTypesense,
  TYPESENSE_SERVERS,
} from '@daybook/typesense-double/typesense-servers'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { startTestGateway, type TestClient, type TestGateway } from '../testing/test-gateway.ts'
import { newWriter, quarantine, release, type TestWriter, write } from '../testing/writers.ts'

/* Typesense finds candidates; whether one is a hit, Postgres says, also where a flood leaves none of those listed. */

const FLOOD = 300
/** Before and after the flood. */
const HONEST = 6

const databases = SERVICE_DATABASES.flatMap((database) =>
  TYPESENSE_SERVERS.map((server) => ({ name: `${database.name} and ${server.name}`, database, server })),
)

describe.each(databases)('a quarantine with Typesense, on $name', ({ database: kind, server }) => {
  const base = newTestName()
  let database: TestDatabase
  let typesense: TestTypesense
  let engine: TypesenseSearch
  let projector: GenerationApplier
  let running: TestGateway
  let admin: TestClient
  let client: TestClient
  let rogue: TestWriter
  beforeAll(async () => {
    database = await kind.start()
    typesense = await server.start()
    const { url, apiKey } = typesense
    engine = createTypesenseSearch({ url, apiKey, base, timeoutMs: 240_000, probeAfterMs: 1 })
    running = await startTestGateway(database, undefined, {
      engines: [{ name: 'typesense', setting: 'TYPESENSE_URL', search: typesenseSearchEngine(engine) }],
    })
    const embedder = createHashEmbedder({ dimension: 64 })
    projector = await startEngine(openTypesense({ url, apiKey, base }), {
      db: database.db,
      bus: createInProcessBus(),
      signal: createPositionSignal(),
      logger: silentLogger,
      model: embedder,
      workers: createQueueWorkers({
        db: database.db,
        embedders: fixedEmbedders([embedder], embedder),
        logger: silentLogger,
      }),
      pollMs: 20,
    })
    admin = await running.newClient(true)
    client = await running.newClient()
    rogue = await newWriter(admin, client, { trust: 'LOW' })
    for (let at = 0; at < 5; at += 1)
      await write(client, `the harbour office keeps record number ${at} of ships`)
    await rogue.data(
      'mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { __typename } }',
      {
        inputs: Array.from({ length: FLOOD }, (_, at) => ({
          content: { note: { text: `harbour harbour mallory ${at}` } },
        })),
      },
    )
    await write(client, 'the last one')
  })
  afterAll(async () => {
    await projector?.stop()
    await running?.stop()
    engine?.close()
    const cleaner = createTypesenseClient(typesense)
    await deleteCollection(cleaner, 1, base)
    cleaner.close()
    await typesense?.stop()
    await database?.stop()
  })

  interface Answer {
    readonly engine: string
    readonly sequence: number
    readonly degraded: readonly string[]
    readonly hits: readonly { readonly memory: { readonly text: string }; readonly trust: string }[]
  }
  const find = async (mode: string, minTrust?: string): Promise<Answer> => {
    const { search } = await client.data(
      `query ($mode: SearchMode, $minTrust: TrustLevel) {
        search(query: "harbour", mode: $mode, engine: TYPESENSE, floor: false, limit: 5, filter: { minTrust: $minTrust }) {
          engine sequence degraded hits { trust memory { text } } } }`,
      { mode, minTrust },
    )
    return search
  }

  /** Whether Typesense has everything that was written, with vectors. */
  const isComplete = async (): Promise<boolean> => {
    const answer = await find('HYBRID')
    return answer.engine === 'TYPESENSE' && answer.sequence >= FLOOD + HONEST && answer.degraded.length === 0
  }

  test.each(['HYBRID', 'KEYWORD', 'SEMANTIC'])(
    'a flood leaves %s, by quarantine or by trust',
    async (mode) => {
      await vi.waitUntil(isComplete, { interval: 200 })
      const before = await find(mode)
      expect(before.hits[0]).toMatchObject({
        trust: 'LOW',
        memory: { text: expect.stringContaining('mallory') },
      })

      const trusted = await find(mode, 'NORMAL')
      expect(trusted.engine).toBe('TYPESENSE')
      expect(trusted.hits).toHaveLength(5)
      for (const { memory, trust } of trusted.hits) {
        expect(memory.text).not.toContain('mallory')
        expect(trust).toBe('NORMAL')
      }

      const operator = await newWriter(admin, client, { scopes: ['READ', 'WRITE', 'ADMIN'] })
      const { id } = await quarantine(operator, { key: rogue.keyId })
      const during = await find(mode)
      expect(during.engine).toBe('TYPESENSE')
      expect(during.hits.map(({ memory }) => memory.text)).toEqual(
        trusted.hits.map(({ memory }) => memory.text),
      )
      await release(operator, id)
      expect(await find(mode)).toEqual(before)
    },
  )
})
