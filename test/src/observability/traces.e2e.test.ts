import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createNativeDatabase, type NativeDatabase, POSTGRES } from '@daybook/postgres/testing/test-database'
import { needing } from '@daybook/runtime/testing/needing'
import { type NativeNats, OWN_NATS, startNativeNats } from '@daybook/transport/testing/native-nats'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { askGraphQL, dataOf } from '../support/graphql.ts'
import { startCollector } from './collector.ts'
import { type RunningService, startService } from './service.ts'

const REMEMBER = `mutation {
  remember(input: { content: { note: { text: "traced through every process" } } }) { ... on Remembered { sequence } }
}`

/** The sum of a metric's lines in Prometheus' text format. */
function total(text: string, metric: string): number {
  const lines = text.split('\n').filter((line) => line.startsWith(`${metric}{`))
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0)
}

needing(POSTGRES, OWN_NATS).describe('services that are watched', () => {
  const folder = mkdtempSync(join(tmpdir(), 'daybook-traces-'))
  let database: NativeDatabase
  let nats: NativeNats
  let collector: Awaited<ReturnType<typeof startCollector>>
  let gateway: RunningService
  let projector: RunningService

  beforeAll(async () => {
    database = await createNativeDatabase()
    nats = await startNativeNats()
    collector = await startCollector()
    const environment = {
      DATABASE_URL: database.url,
      NATS_URL: nats.url,
      DAYBOOK_PORT: '0',
      DAYBOOK_EMBEDDER: 'none',
      DAYBOOK_DATA_DIR: folder,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
      OTEL_BSP_SCHEDULE_DELAY: '100',
    }
    projector = await startService('projector-pgvector', environment)
    gateway = await startService('gateway', environment)
  })
  afterAll(async () => {
    await Promise.all([gateway?.stop(), projector?.stop()])
    collector?.stop()
    await nats?.stop()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  const metrics = async ({ url }: RunningService) => (await fetch(`${url}/metrics`)).text()

  test('one remember is one trace through the gateway, the bus and the projector', async () => {
    const apiKey = readFileSync(join(folder, 'api-key'), 'utf8').trim()
    dataOf(await askGraphQL({ url: gateway.url, apiKey }, { query: REMEMBER }))
    const find = (name: string) => collector.spans.find((span) => span.name === name)
    await vi.waitUntil(() => find('projection pgvector apply') && find('graphql mutation'), {
      interval: 50,
    })
    const [request, append, apply] = [
      find('graphql mutation'),
      find('journal append'),
      find('projection pgvector apply'),
    ]
    expect([request?.service, append?.service, apply?.service]).toEqual([
      'gateway',
      'gateway',
      'projector-pgvector',
    ])
    expect(new Set([request?.traceId, append?.traceId, apply?.traceId]).size).toBe(1)
    expect([append?.parentSpanId, apply?.parentSpanId]).toEqual([request?.spanId, append?.spanId])
    await vi.waitUntil(async () => total(await metrics(gateway), 'daybook_relay_delay_seconds_count') === 1)
  })

  test('every service answers on its own port: it lives, it is ready, and what it counted', async () => {
    for (const service of [gateway, projector])
      for (const path of ['/health', '/ready'])
        await expect.poll(async () => (await fetch(`${service.url}${path}`)).status).toBe(200)
    expect(total(await metrics(gateway), 'daybook_append_events_total')).toBe(1)
    expect(total(await metrics(projector), 'daybook_projection_events_total')).toBe(1)
    await vi.waitUntil(async () => {
      const text = await metrics(gateway)
      return total(text, 'daybook_database_up') === 1 && total(text, 'daybook_projection_lag') === 0
    })
  })

  test('a collector that is unavailable does not keep a service from stopping', async () => {
    collector.stop()
    const apiKey = readFileSync(join(folder, 'api-key'), 'utf8').trim()
    dataOf(await askGraphQL({ url: gateway.url, apiKey }, { query: REMEMBER }))
    expect(await Promise.all([gateway.stop(), projector.stop()])).toEqual([0, 0])
  })
})
