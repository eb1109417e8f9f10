import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { rawRequest, statusOf } from '@daybook/runtime/testing/raw-http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

/*
 * What a website can do to a Daybook on its visitor's machine or network: have its own name resolve there (then
 * `Host` is the website's name), send requests across sites (then `Origin` is), or open a WebSocket.
 */

const [anyDatabase] = TEST_DATABASES
const EVIL = 'evil.example'
const ROUTES = ['/', '/graphql', '/graphql?query={__typename}', '/journal/export', '/graphql/key', '/x']
const PROBES = ['/health', '/ready', '/metrics']

describe('requests under other names', () => {
  let database: TestDatabase
  let running: TestGateway
  let client: TestClient
  let port: string
  beforeAll(async () => {
    if (anyDatabase === undefined) throw new Error('there is no database to test on')
    database = await anyDatabase.start()
    running = await startTestGateway(database, null)
    client = await running.newClient(true)
    port = new URL(client.url).port
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })

  /** Sends a request as no client of ours would: with a valid key, and these headers. */
  const ask = (path: string, headers: Record<string, string>, { url, key } = client, method = 'GET') =>
    rawRequest(
      url,
      [
        `${method} ${path} HTTP/1.1`,
        ...Object.entries({ authorization: `Bearer ${key}`, connection: 'close', ...headers }).map(
          ([name, value]) => `${name}: ${value}`,
        ),
        '\r\n',
      ].join('\r\n'),
    )
  const own = () => ({ host: `127.0.0.1:${port}` })

  test.each([...ROUTES, ...PROBES])('a rebound name gets 421 at %s, even with a key', async (path) => {
    for (const host of [EVIL, `${EVIL}:${port}`, `localhost.${EVIL}:${port}`]) {
      const answer = await ask(path, { host })
      expect(statusOf(answer), host).toBe(421)
      expect(answer).toContain('"code":"HOST_NOT_ALLOWED"')
      expect(answer).toContain('DAYBOOK_ALLOWED_HOSTS')
    }
  })

  test('the own names are answered, with another port they are not', async () => {
    for (const name of ['127.0.0.1', 'localhost', '[::1]']) {
      expect(statusOf(await ask('/graphql?query={__typename}', { host: `${name}:${port}` }))).toBe(200)
      expect(statusOf(await ask('/graphql?query={__typename}', { host: `${name}:1` }))).toBe(421)
    }
  })

  test('a name cannot be hidden in the target, in a second header, or behind another one', async () => {
    const absolute = `http://${EVIL}/graphql?query={__typename}`
    expect(statusOf(await ask(absolute, own()))).toBe(421)
    const forwarded = { 'x-forwarded-host': `127.0.0.1:${port}`, forwarded: `host=127.0.0.1:${port}` }
    expect(statusOf(await ask('/graphql?query={__typename}', { host: EVIL, ...forwarded }))).toBe(421)
    const twice = `GET /graphql?query={__typename} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nHost: ${EVIL}\r\n`
    const rest = `Authorization: Bearer ${client.key}\r\nConnection: close\r\n\r\n`
    expect(statusOf(await rawRequest(client.url, twice + rest))).toBe(400)
    const none = `GET /graphql?query={__typename} HTTP/1.0\r\n${rest}`
    expect(statusOf(await rawRequest(client.url, none))).toBe(421)
  })

  test('probes answer orchestrators, who ask at an address or without a name', async () => {
    for (const path of PROBES) {
      for (const host of ['10.1.2.3:4000', '10.1.2.3', '[fd00::5]:4000'])
        expect([200, 503], path).toContain(statusOf(await ask(path, { host })))
      const oldest = await rawRequest(client.url, `GET ${path} HTTP/1.0\r\n\r\n`)
      expect([200, 503], path).toContain(statusOf(oldest))
    }
    expect(statusOf(await ask('/graphql?query={__typename}', { host: `10.1.2.3:${port}` }))).toBe(421)
  })

  test.each([...ROUTES, ...PROBES])('a page of another origin gets 403 at %s', async (path) => {
    for (const origin of [`https://${EVIL}`, 'null', 'http://localhost:3000', `http://127.0.0.1:${port}.x`])
      for (const method of ['GET', 'POST', 'OPTIONS']) {
        const answer = await ask(path, { ...own(), origin, 'content-length': '0' }, client, method)
        expect(statusOf(answer), `${method} ${origin}`).toBe(403)
        expect(answer).toContain('"code":"ORIGIN_NOT_ALLOWED"')
        expect(answer).toContain('DAYBOOK_ALLOWED_ORIGINS')
        expect(answer.toLowerCase()).not.toContain('access-control-allow')
      }
  })

  test('the own pages, and clients that are no browsers, are answered', async () => {
    for (const origin of [`http://127.0.0.1:${port}`, `http://localhost:${port}`])
      expect(statusOf(await ask('/graphql?query={__typename}', { ...own(), origin }))).toBe(200)
    expect((await client.send('{ __typename }')).status).toBe(200)
  })

  /** How a WebSocket ends: 'open', or the status of the refusal. */
  const openSocket = (headers: Record<string, string>, { url, key } = client): Promise<string> =>
    new Promise((resolve) => {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        headers: { authorization: `Bearer ${key}`, ...headers },
      })
      socket.on('open', () => {
        resolve('open')
        socket.terminate()
      })
      socket.on('error', ({ message }) => resolve(message))
    })

  test('a WebSocket of another origin or to another name is refused before it opens', async () => {
    expect(await openSocket({})).toBe('open')
    expect(await openSocket({ origin: `http://localhost:${port}` })).toBe('open')
    expect(await openSocket({ origin: `https://${EVIL}` })).toContain('403')
    expect(await openSocket({ origin: 'null' })).toContain('403')
    expect(await openSocket({ host: `${EVIL}:${port}` })).toContain('421')
    expect(await openSocket({ host: `${EVIL}:${port}`, origin: `http://${EVIL}:${port}` })).toContain('421')
    const answer = await ask('/graphql', {
      host: EVIL,
      connection: 'Upgrade',
      upgrade: 'websocket',
      'sec-websocket-version': '13',
      'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
    })
    expect(statusOf(answer)).toBe(421)
    expect(answer).toContain('DAYBOOK_ALLOWED_HOSTS')
    expect(answer).toContain('x-content-type-options: nosniff')
  })

  test('where others can connect, names and origins are those of the settings', async () => {
    const open = await startTestGateway(database, null, {
      environment: {
        DAYBOOK_HOST: '0.0.0.0',
        DAYBOOK_ALLOWED_HOSTS: 'daybook.example.com',
        DAYBOOK_ALLOWED_ORIGINS: 'https://app.example.com',
      },
    })
    try {
      const its = { ...open.client(client), url: open.gateway.url.replace('0.0.0.0', '127.0.0.1') }
      const query = '/graphql?query={__typename}'
      const hosts = {
        'daybook.example.com': 200,
        '10.1.2.3:80': 200,
        [EVIL]: 421,
        'x.daybook.example.com': 421,
      }
      for (const [host, status] of Object.entries(hosts))
        expect(statusOf(await ask(query, { host }, its)), host).toBe(status)

      const host = 'daybook.example.com'
      const origin = 'https://app.example.com'
      const asked = await ask(
        '/graphql',
        { host, origin, 'access-control-request-method': 'POST' },
        its,
        'OPTIONS',
      )
      expect(statusOf(asked)).toBe(204)
      expect(asked).toMatch(/access-control-allow-headers: .*authorization.*x-daybook-project/iu)
      const answer = await ask(query, { host, origin }, its)
      expect(statusOf(answer)).toBe(200)
      expect(answer).toMatch(/access-control-allow-origin: https:\/\/app\.example\.com\r\n/iu)
      expect(answer).toMatch(/vary: [^\r]*origin/iu)
      expect(answer.toLowerCase()).not.toContain('access-control-allow-credentials')
      expect(statusOf(await ask(query, { host, origin: 'https://daybook.example.com' }, its))).toBe(200)
      expect(statusOf(await ask(query, { host, origin: 'https://app.example.com.x' }, its))).toBe(403)
      expect(statusOf(await ask(query, { host: '10.1.2.3', origin: `http://10.1.2.4` }, its))).toBe(403)
      expect(await openSocket({ host, origin }, its)).toBe('open')
      expect(await openSocket({ host, origin: `https://${EVIL}` }, its)).toContain('403')

      // There, nobody gets GraphiQL or the schema unless the operator wants it.
      expect(statusOf(await ask('/graphql', { host, accept: 'text/html' }, its))).not.toBe(200)
      const refused = await open.client(client).send('{ __schema { types { name } } }')
      expect(refused.body.errors?.[0]).toMatchObject({
        message: expect.stringContaining('DAYBOOK_INTROSPECTION=on'),
        extensions: { code: 'INTROSPECTION_OFF' },
      })
      const type = await open.client(client).send('{ a: __type(name: "Memory") { name } }')
      expect(type.body.errors?.[0]?.extensions?.['code']).toBe('INTROSPECTION_OFF')
      const misspelt = await open.client(client).send('{ sear(query: "x") { sequence } }')
      expect(misspelt.body.errors?.[0]?.message).toBe('Cannot query field "sear" on type "Query".')
      expect(await open.client(client).data('{ __typename }')).toEqual({ __typename: 'Query' })
    } finally {
      await open.stop()
    }
  })

  test('on loopback the schema may be asked for, and not if it is switched off', async () => {
    const query = '{ __schema { queryType { name } } }'
    expect(await client.data(query)).toEqual({ __schema: { queryType: { name: 'Query' } } })
    const off = await startTestGateway(database, null, { environment: { DAYBOOK_INTROSPECTION: 'off' } })
    try {
      const { status, body } = await off.client(client).send(query)
      expect(status).toBe(403)
      expect(body.errors?.[0]?.extensions?.['code']).toBe('INTROSPECTION_OFF')
    } finally {
      await off.stop()
    }
  })
})

describe('every answer', () => {
  test('has the headers that keep browsers from guessing, framing and leaking, and only pages run scripts', async () => {
    const database = await anyDatabase?.start()
    if (database === undefined) throw new Error('there is no database to test on')
    const running = await startTestGateway(database, null)
    try {
      const client = await running.newClient(true)
      const authorization = `Bearer ${client.key}`
      const query = { body: '{"query":"{ __typename }"}', method: 'POST' }
      const json = { 'content-type': 'application/json' }
      const requests: [path: string, init: RequestInit, status: number][] = [
        ['/', { redirect: 'manual' }, 302],
        ['/health', {}, 200],
        ['/ready', {}, 200],
        ['/metrics', {}, 200],
        ['/nothing', {}, 404],
        ['/graphql', {}, 401],
        ['/graphql', { ...query, headers: { ...json, authorization } }, 200],
        ['/graphql', { ...query, headers: { 'content-type': 'text/plain', authorization } }, 415],
        ['/graphql?query={', { headers: { authorization } }, 200],
        ['/graphql', { headers: { accept: 'text/html' } }, 200],
        ['/graphql/key', { ...query, headers: json }, 403],
        ['/journal/export', { headers: { authorization } }, 200],
        ['/journal/export', { headers: { authorization }, method: 'DELETE' }, 405],
        ['/journal/export', { headers: { authorization, origin: 'https://evil.example' } }, 403],
      ]
      for (const [path, init, status] of requests) {
        const response = await fetch(client.url + path, init)
        await response.arrayBuffer()
        const { headers } = response
        expect(response.status, path).toBe(status)
        const policy = headers.get('content-security-policy') ?? ''
        expect(policy, path).toMatch(/^default-src 'none'; .*frame-ancestors 'none'/u)
        expect(policy, path).not.toMatch(/unsafe/u)
        if (!headers.get('content-type')?.includes('text/html')) expect(policy).not.toContain('script-src')
        expect(headers.get('x-content-type-options'), path).toBe('nosniff')
        expect(headers.get('x-frame-options'), path).toBe('DENY')
        expect(headers.get('referrer-policy'), path).toBe('no-referrer')
        expect(headers.get('cross-origin-opener-policy'), path).toBe('same-origin')
        expect(headers.get('cross-origin-resource-policy'), path).toBe('same-origin')
        expect(headers.get('cache-control'), path).toBe('no-store')
        expect(headers.get('x-powered-by'), path).toBeNull()
      }
    } finally {
      await running.stop()
      await database.stop()
    }
  })
})
