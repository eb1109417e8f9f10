import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestGateway, type TestClient, type TestGateway } from '../testing/test-gateway.ts'
import { CODE_MS, createKeyCodes } from './failure.ts'

const [anyDatabase] = TEST_DATABASES

describe('the link of GraphiQL', () => {
  let database: TestDatabase
  let running: TestGateway
  let client: TestClient
  beforeAll(async () => {
    if (anyDatabase === undefined) throw new Error('there is no database to test on')
    database = await anyDatabase.start()
    running = await startTestGateway(database, null)
    client = await running.newClient()
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })

  const codeOf = (link: string | null) => new URLSearchParams(new URL(link ?? '').hash.slice(1)).get('code')
  const exchange = (body: string, headers = {}) =>
    fetch(`${client.url}/graphql/key`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    })

  test('has no key in it, and its code gives the page the key once', async () => {
    const link = running.gateway.graphiqlLink(client.key)
    expect(link).not.toContain(client.key)
    const body = JSON.stringify({ code: codeOf(link) })
    const answers = await Promise.all([exchange(body), exchange(body), exchange(body)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 403, 403])
    for (const answer of answers) {
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const given = (await answer.json()) as object
      if (answer.status === 200) expect(given).toEqual({ key: client.key })
      else {
        expect(JSON.stringify(given)).not.toContain(client.key)
        expect(given).toMatchObject({
          errors: [
            { message: expect.stringContaining('used already'), extensions: { code: 'CODE_NOT_VALID' } },
          ],
        })
      }
    }
  })

  test.each([
    '',
    '{',
    'null',
    '[]',
    '{}',
    '{"code":1}',
    '{"code":""}',
    '{"code":"__proto__"}',
    `"${'x'.repeat(5_000)}"`,
  ])('is not opened by %s', async (body) => {
    running.gateway.graphiqlLink(client.key)
    const answer = await exchange(body)
    expect(answer.status).toBe(403)
    expect(await answer.text()).not.toContain(client.key)
  })

  test('is not opened by a page of another site, nor by a GET, which a link could send', async () => {
    const code = codeOf(running.gateway.graphiqlLink(client.key))
    const body = JSON.stringify({ code })
    expect((await exchange(body, { origin: 'https://evil.example' })).status).toBe(403)
    expect((await fetch(`${client.url}/graphql/key?code=${code}`)).status).toBe(405)
    expect((await exchange(body)).status).toBe(200)
  })

  test('is none where GraphiQL is switched off', async () => {
    const off = await startTestGateway(database, null, { environment: { DAYBOOK_GRAPHIQL: 'off' } })
    try {
      expect(off.gateway.graphiqlLink(client.key)).toBeNull()
      const answer = await fetch(`${off.gateway.url}/graphql/key`, { method: 'POST', body: '{}' })
      expect(answer.status).toBe(404)
    } finally {
      await off.stop()
    }
  })
})

describe('codes', () => {
  test('work for some minutes, and the newest of many', () => {
    let now = 0
    const codes = createKeyCodes(() => now)
    const [first, second] = [codes.offer('a'), codes.offer('b')]
    now += CODE_MS - 1
    expect(codes.take(first)).toBe('a')
    now += 1
    expect(codes.take(second)).toBeNull()
    const many = Array.from({ length: 200 }, () => codes.offer('c'))
    expect(new Set(many).size).toBe(200)
    expect(codes.take(many[0] ?? '')).toBeNull()
    expect(codes.take(many.at(-1) ?? '')).toBe('c')
  })
})
