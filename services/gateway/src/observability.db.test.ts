import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { readReadings } from '@daybook/projection/positions/readings'
import { createMetrics, type ServiceMetrics } from '@daybook/runtime/metrics'
import { createMemoryLogger } from '@daybook/runtime/testing/memory-logger'
import { type MemoryTracing, startMemoryTracing } from '@daybook/runtime/testing/memory-tracing'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { REMEMBER, startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

const NOTE = { input: { content: { note: { text: 'the quick brown fox' } } } }
const SEARCH = 'query ($query: String!) { search(query: $query) { hits { score } } }'
const CALLER = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
const CALLERS_TRACE = CALLER.slice(3, 35)

const [{ start }] = TEST_DATABASES as unknown as [(typeof TEST_DATABASES)[number]]

describe('a gateway that is watched', () => {
  const { logger, lines } = createMemoryLogger()
  let fault: Error | null = null
  let traced: MemoryTracing
  let database: TestDatabase
  let server: TestGateway
  let client: TestClient

  beforeAll(async () => {
    traced = await startMemoryTracing()
    database = await start()
    const watched = createMetrics({ service: 'gateway', read: () => readReadings(database.db, false) })
    const metrics: ServiceMetrics = {
      ...watched,
      histogram(definition) {
        const { observe } = watched.histogram(definition)
        return {
          observe(seconds, labels) {
            if (fault !== null && Object.values(labels ?? {}).includes('lexical')) throw fault
            observe(seconds, labels)
          },
        }
      },
    }
    server = await startTestGateway(database, undefined, { metrics, logger })
    client = await server.newClient()
  })
  afterAll(async () => {
    await server?.stop()
    await database?.stop()
    await traced?.stop()
  })
  beforeEach(() => {
    traced.clear()
    lines.length = 0
    fault = null
  })

  const post = (query: string, variables: object, headers: Record<string, string> = {}) =>
    fetch(`${client.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${client.key}`,
        'content-type': 'application/json',
        ...headers,
      },
      body: JSON.stringify({ query, variables }),
    })

  it('makes of one remember one trace, from the caller through the journal to the projection', async () => {
    expect((await post(REMEMBER, NOTE, { traceparent: CALLER })).status).toBe(200)
    const ours = async () =>
      (await traced.spans()).filter((span) => span.spanContext().traceId === CALLERS_TRACE)
    await vi.waitUntil(async () => (await ours()).some(({ name }) => name.startsWith('projection')), {
      interval: 20,
    })
    const spans = Object.fromEntries((await ours()).map((span) => [span.name, span]))
    expect(Object.keys(spans).toSorted()).toEqual([
      'graphql mutation',
      'journal append',
      'projection pgvector apply',
    ])
    const parents = (name: string) => spans[name]?.parentSpanContext?.spanId
    const id = (name: string) => spans[name]?.spanContext().spanId
    expect(parents('graphql mutation')).toBe(CALLER.slice(36, 52))
    expect(parents('journal append')).toBe(id('graphql mutation'))
    expect(parents('projection pgvector apply')).toBe(id('journal append'))
    expect(JSON.stringify(Object.values(spans).map((span) => span.attributes))).not.toContain('fox')
  })

  it('puts the correlation id of a request on its log lines, its events and its answer', async () => {
    const remembered = await post(REMEMBER, NOTE, { 'x-correlation-id': 'request-1' })
    expect(remembered.headers.get('x-correlation-id')).toBe('request-1')
    const { journal } = await client.data('{ journal(first: 100) { correlationId } }')
    expect(journal.map((event: { correlationId: string }) => event.correlationId)).toContain('request-1')

    fault = new Error('a fault')
    const [one, other] = await Promise.all([
      post(SEARCH, { query: 'fox' }, { 'x-correlation-id': 'request-2', traceparent: CALLER }),
      post(SEARCH, { query: 'dog' }),
    ])
    await Promise.all([one.text(), other.text()])
    const failures = lines.filter((line) => line['msg'] === 'a request failed unexpectedly')
    expect(failures.map((line) => line['correlationId']).toSorted()).toEqual(
      ['request-2', other.headers.get('x-correlation-id')].toSorted(),
    )
    expect(other.headers.get('x-correlation-id')).toMatch(/^[\da-f-]{36}$/u)
  })

  it('tells its metrics to anybody, and in them nothing that was remembered', async () => {
    await post(SEARCH, { query: 'fox' })
    const response = await fetch(`${client.url}/metrics`)
    expect(response.status).toBe(200)
    const text = await response.text()
    for (const retriever of ['lexical', 'vector', 'query-embedding'])
      expect(text).toMatch(
        new RegExp(`daybook_search_seconds_count\\{service="gateway",retriever="${retriever}"\\} [1-9]`, 'u'),
      )
    expect(text).toMatch(/daybook_append_events_total\{service="gateway"\} [1-9]/u)
    expect(text).toMatch(/daybook_projection_lag\{projection="pgvector",service="gateway"\} \d/u)
    expect(text).not.toContain('fox')
    expect(text).not.toContain(client.projectId)
  })

  it('counts what the journal refused', async () => {
    const refused = async () =>
      Number(
        /daybook_append_refused_total\S+ (\d+)/u.exec(
          await (await fetch(`${client.url}/metrics`)).text(),
        )?.[1],
      )
    const before = await refused()
    const idempotencyKey = 'one key'
    await post(REMEMBER, { input: { ...NOTE.input, idempotencyKey } })
    const other = { content: { note: { text: 'another' } }, idempotencyKey }
    await post(REMEMBER, { input: other })
    expect(await refused()).toBe(before + 1)
  })
})
