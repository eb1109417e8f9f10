import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { serverAudits } from 'graphql-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestGateway } from './testing/test-gateway.ts'

let database: TestDatabase
let running: TestGateway
let key = ''
beforeAll(async () => {
  const [embedded] = TEST_DATABASES
  if (embedded === undefined) throw new Error('there is no database to test on')
  database = await embedded.start()
  running = await startTestGateway(database)
  key = (await running.newClient()).key
})
afterAll(async () => {
  await running?.stop()
  await database?.stop()
})

describe('the specification GraphQL over HTTP', () => {
  const fetchFn = (url: string, { headers, ...rest }: RequestInit = {}) => {
    const sent = new Headers(headers)
    sent.set('authorization', `Bearer ${key}`)
    return fetch(url, { ...rest, headers: sent })
  }
  const audits = serverAudits({ url: () => `${running.gateway.url}/graphql`, fetchFn })
  test.each(audits.map((audit) => [audit.name, audit] as const))('%s', async (_, audit) => {
    const result = await audit.fn()
    expect(result.status === 'ok' ? 'ok' : `${result.status} ${audit.id}: ${result.reason}`).toBe('ok')
  })
})
