import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { createMetrics } from '@daybook/runtime/metrics'
import { hostileRequest } from '@daybook/runtime/testing/hostile-request'
import { createMemoryLogger } from '@daybook/runtime/testing/memory-logger'
import { rawRequest, statusOf } from '@daybook/runtime/testing/raw-http'
import { assert, asyncProperty } from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ROUTES } from './routes.ts'
import { schema } from './schema/index.ts'
import { randomOperation } from './testing/random-operation.ts'
import { REMEMBER, startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

/** More for a night: 4000 requests take 20 s, as many operations five minutes. */
const REQUESTS = Number(process.env['DAYBOOK_FUZZ_REQUESTS'] ?? 100)
const PATHS = ROUTES.map(({ path }) => path)

describe.each(SERVICE_DATABASES)('what strangers send to a gateway on $name', ({ start }) => {
  const { logger, lines } = createMemoryLogger()
  let database: TestDatabase
  let running: TestGateway
  let admin: TestClient
  beforeAll(async () => {
    database = await start()
    running = await startTestGateway(database, null, {
      logger,
      metrics: createMetrics({ service: 'gateway' }),
    })
    admin = await running.newClient(true)
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })

  const faults = () => lines.filter(({ level }) => Number(level) >= 50)

  it('a request for // is answered with 404', async () => {
    const { host } = new URL(running.gateway.url)
    for (const target of ['//', '///x', '//[', `http://${host}/x`, '*']) {
      const request = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
      expect(statusOf(await rawRequest(running.gateway.url, request)), target).toBe(404)
    }
  })

  it('no target and no headers, with a key or without, get a 500 or end the process', async () => {
    const keys = [`Authorization: Bearer ${admin.key}`, `Authorization: Bearer ${admin.key}\r\nAccept: */*`]
    const { host } = new URL(running.gateway.url)
    await assert(
      asyncProperty(hostileRequest(PATHS, [...keys, ...keys, ...keys], host), async (request) => {
        const status = statusOf(await rawRequest(running.gateway.url, request, 400))
        expect(status ?? 400).not.toBe(500)
      }),
      { numRuns: REQUESTS },
    )
    expect(faults()).toEqual([])
    expect((await fetch(`${running.gateway.url}/health`)).status).toBe(200)
  })
  it('no arguments that the schema allows are answered with a fault of ours', async () => {
    const client = await running.newClient(true)
    const note = { content: { note: { text: 'a note' } } }
    const { remember } = await client.data(REMEMBER, { input: note })
    await assert(
      asyncProperty(randomOperation(schema, [remember.memory.id]), async ({ query, variables }) => {
        const { status, body } = await client.send(query, variables)
        expect(status).not.toBe(500)
        expect(body.errors?.map(({ extensions }) => extensions?.['code']) ?? []).not.toContain('INTERNAL')
      }),
      { numRuns: REQUESTS },
    )
    expect(faults()).toEqual([])
  })
})
