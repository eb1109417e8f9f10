import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
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

describe('clients of other makers', () => {
  const QUERY = '{ projects { name } }'
  const persistedQuery = { version: 1, sha256Hash: createHash('sha256').update(QUERY).digest('hex') }

  async function post(
    body: object | Uint8Array<ArrayBuffer>,
    headers: Readonly<Record<string, string>> = {},
  ) {
    const response = await fetch(`${running.gateway.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body: body instanceof Uint8Array ? body : JSON.stringify(body),
    })
    return {
      status: response.status,
      answer: (await response.json()) as { data?: unknown; errors?: object[] },
    }
  }

  test('send a hash, then the text with it, then the hash alone', async () => {
    const hashAlone = { extensions: { persistedQuery } }
    expect(await post(hashAlone)).toMatchObject({
      status: 200,
      answer: {
        errors: [{ message: 'PersistedQueryNotFound', extensions: { code: 'PERSISTED_QUERY_NOT_FOUND' } }],
      },
    })
    const found = { data: { projects: [{ name: expect.any(String) }] } }
    expect((await post({ query: QUERY, ...hashAlone })).answer).toEqual(found)
    expect((await post(hashAlone)).answer).toEqual(found)
  })

  test('are refused a text that has another hash', async () => {
    const { answer } = await post({ query: '{ __typename }', extensions: { persistedQuery } })
    expect(answer.errors).toMatchObject([{ extensions: { code: 'PERSISTED_QUERY_MISMATCH' } }])
  })

  test('may give an operation the name ""', async () => {
    expect((await post({ query: QUERY, operationName: '' })).answer).toHaveProperty('data.projects')
  })

  test('are told that compressed bodies are not read', async () => {
    const body = new Uint8Array(gzipSync(JSON.stringify({ query: QUERY })))
    expect(await post(body, { 'content-encoding': 'gzip' })).toMatchObject({
      status: 415,
      answer: { errors: [{ message: expect.stringContaining('"Content-Encoding: gzip"') }] },
    })
  })
})
