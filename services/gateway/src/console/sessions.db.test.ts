import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findKey } from '@daybook/postgres/access/api-keys'
import { createLoginToken } from '@daybook/postgres/access/console-sessions'
import { asOwner } from '@daybook/postgres/testing/as-owner'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { testBrowser } from '../testing/test-browser.ts'
import { startTestGateway, type TestClient, type TestGateway } from '../testing/test-gateway.ts'

const folder = mkdtempSync(join(tmpdir(), 'daybook-console-'))
mkdirSync(join(folder, 'assets'))
writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Daybook</title>')
writeFileSync(join(folder, 'assets/main-ABC.js'), 'document.title')
writeFileSync(join(folder, 'assets/main-ABC.js.br'), 'as brotli')
writeFileSync(join(folder, 'assets/main-ABC.js.gz'), 'as gzip')
afterAll(() => rmSync(folder, { recursive: true }))

const WHO = '{ projects { name } }'
const LINK = 'mutation { createLoginLink { path expiresAt } }'
const tokenOf = async (client: TestClient): Promise<string> =>
  ((await client.data(LINK))['createLoginLink'].path as string).split('=')[1] as string

describe.each(SERVICE_DATABASES)('sessions of the console ($name)', ({ start }) => {
  let database: TestDatabase
  let running: TestGateway
  let other: TestGateway
  let client: TestClient
  beforeAll(async () => {
    database = await start()
    const environment = { DAYBOOK_CONSOLE_DIR: folder, DAYBOOK_ALLOWED_ORIGINS: 'https://app.example.com' }
    running = await startTestGateway(database, null, { environment })
    other = await startTestGateway(database, null, { environment })
    // Nobody looks for anything.
    await running.stopProjector()
    await other.stopProjector()
  })
  afterAll(async () => {
    await running?.stop()
    await other?.stop()
    await database?.stop()
  })
  beforeEach(async () => {
    client = await running.newClient()
  })

  test('a link logs in once, also of two browsers at the same moment', async () => {
    const token = await tokenOf(client)
    const answers = await Promise.all([1, 2, 3].map(() => testBrowser(client.url).logIn({ token })))
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 401, 401])
    const refused = answers.find(({ status }) => status === 401)
    expect(await refused!.text()).toContain('This login link was used already, or is too old')
  })

  test('a link that is too old logs nobody in', async () => {
    const found = await findKey(database.db, client.key)
    if ('refusal' in found) throw new Error(found.refusal)
    const made = await createLoginToken(database.db, found.access, 1)
    await pause(20)
    expect((await testBrowser(client.url).logIn({ token: made!.token })).status).toBe(401)
  })

  test('the cookie is for this host and its own pages, and no script reads it', async () => {
    const plain = await testBrowser(client.url).logIn({ key: client.key })
    const { port } = new URL(client.url)
    expect(plain.headers.get('set-cookie')).toMatch(
      new RegExp(
        `^daybook-session-${port}=[\\w-]{43}; Path=/; HttpOnly; SameSite=Strict; Max-Age=604800$`,
        'u',
      ),
    )
    const overTls = await testBrowser(client.url).logIn(
      { key: client.key },
      { origin: client.url.replace('http:', 'https:') },
    )
    expect(overTls.headers.get('set-cookie')).toMatch(
      /^__Host-daybook-session-\d+=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict; Secure; Max-Age=604800$/u,
    )
  })

  test('a request counts only if a page of this very origin shows itself, and shows no key', async () => {
    const browser = testBrowser(client.url)
    await browser.logIn({ key: client.key })
    expect((await browser.send(WHO)).status).toBe(200)
    const neighbour = `http://127.0.0.1:${Number(new URL(client.url).port) + 1}`
    const refused: Readonly<Record<string, string>>[] = [
      { 'x-daybook-console': '' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://app.example.com' },
      { origin: neighbour },
      { origin: 'null' },
      { authorization: 'Bearer wrong' },
      { authorization: '', cookie: '' },
    ]
    const statuses = await Promise.all(
      refused.map(async (headers) => (await browser.send(WHO, headers)).status),
    )
    expect(statuses).toEqual([401, 401, 401, 401, 403, 403, 401, 401])
    // Nor can another page log its visitor in with a key of its own.
    for (const headers of refused.slice(0, 3))
      expect((await testBrowser(client.url).logIn({ key: client.key }, headers)).status).toBe(403)
  })

  test('the cookie opens GraphQL only', async () => {
    const browser = testBrowser(client.url)
    await browser.logIn({ key: (await running.newClient(true)).key })
    for (const path of ['/mcp', '/journal/export'])
      expect(
        (await fetch(client.url + path, { headers: { cookie: browser.cookie!, 'x-daybook-console': '1' } }))
          .status,
      ).toBe(401)
  })

  test('a session may do what its key may, and no more', async () => {
    const reader = await running.newClient(true)
    const { createKey } = await reader.data(
      'mutation { createKey(input: { name: "reader", scopes: [READ] }) { ... on CreatedKey { key } } }',
    )
    const browser = testBrowser(client.url)
    await browser.logIn({ key: createKey.key })
    const refused = await browser.send('mutation { forget(id: "note:1") { __typename } }')
    expect(refused.body.errors?.[0]?.extensions?.['code']).toBe('FORBIDDEN')
    expect(await (await browser.session('GET')).json()).toMatchObject({
      session: { key: 'reader', scopes: ['read'], wholeDaybook: false },
    })
    const admin = testBrowser(client.url)
    await admin.logIn({ token: await tokenOf(reader) })
    const made = await admin.send(
      'mutation { createKey(input: { name: "by a session", scopes: [READ] }) { __typename } }',
    )
    expect(made.body.data).toEqual({ createKey: { __typename: 'CreatedKey' } })
  })

  test('makes keys only soon after a login, for they outlive the session', async () => {
    const admin = await running.newClient(true)
    const old = await admin.data(
      'mutation { createKey(input: { name: "old", scopes: [READ] }) { ... on CreatedKey { id } } }',
    )
    const makes = [
      'createKey(input: { name: "new", scopes: [READ] })',
      `rotateKey(id: "${old['createKey'].id}")`,
      // It makes a key for the former home.
      'promoteProject(id: "default", url: "https://laptop:4000", lost: true)',
    ]
    const attempt = async (browser: ReturnType<typeof testBrowser>) => {
      const { body } = await browser.send(
        `mutation { ${makes.map((make, at) => `made${at}: ${make} { __typename ... on OperationRefusedError { code message } }`).join(' ')} }`,
      )
      return Object.values(body.data ?? {})
    }
    const left = testBrowser(client.url)
    await left.logIn({ token: await tokenOf(admin) })
    await asOwner(database, (owner) =>
      sql`update console_sessions set created_at = created_at - interval '11 minutes'`.execute(owner),
    )
    const refusal = {
      __typename: 'OperationRefusedError',
      code: 'REFUSED',
      message: expect.stringContaining('within 10 minutes of a login'),
    }
    expect(await attempt(left)).toEqual([refusal, refusal, refusal])
    expect((await left.send(WHO)).status).toBe(200)
    await left.logIn({ token: await tokenOf(admin) })
    const [made, rotated, promoted] = await attempt(left)
    expect([made, rotated]).toEqual([{ __typename: 'CreatedKey' }, { __typename: 'CreatedKey' }])
    expect(promoted).not.toEqual(refusal)
  })

  test('a session cannot make itself another one', async () => {
    const browser = testBrowser(client.url)
    await browser.logIn({ key: client.key })
    const { body } = await browser.send(LINK)
    expect(body.errors?.[0]?.extensions?.['code']).toBe('FORBIDDEN')
  })

  test('a key that cannot log in is told why', async () => {
    const wrong = async (key: string) => (await testBrowser(client.url).logIn({ key })).text()
    expect(await wrong('dbk_what')).toContain('Daybook does not know this key')
    expect(await wrong(client.key.slice(0, -1) + (client.key.endsWith('a') ? 'b' : 'a'))).toContain(
      'mistyped',
    )
    const admin = await running.newClient(true)
    const { createKey } = await admin.data(
      'mutation { createKey(input: { name: "gone", scopes: [READ] }) { ... on CreatedKey { id key } } }',
    )
    await admin.data(`mutation { revokeKey(id: "${createKey.id}") { __typename } }`)
    expect(await wrong(createKey.key)).toContain('was revoked')
  })

  test('it ends with its key: at once here, soon at another gateway', async () => {
    const admin = await running.newClient(true)
    const { createKey } = await admin.data(
      'mutation { createKey(input: { name: "short", scopes: [READ] }) { ... on CreatedKey { id key } } }',
    )
    const browser = testBrowser(client.url)
    await browser.logIn({ key: createKey.key })
    const port = new URL(other.gateway.url).port
    const elsewhere = testBrowser(
      other.gateway.url,
      (browser.cookie as string).replace(/^daybook-session-\d+/u, `daybook-session-${port}`),
    )
    expect((await browser.send(WHO)).status).toBe(200)
    expect((await elsewhere.send(WHO)).status).toBe(200)
    await admin.data(`mutation { revokeKey(id: "${createKey.id}") { __typename } }`)
    expect((await browser.send(WHO)).status).toBe(401)
    await expect.poll(async () => (await elsewhere.send(WHO)).status).toBe(401)
  })

  test('it ends by logging out, when it was not used for a while, and after its time', async () => {
    const leaving = testBrowser(client.url)
    await leaving.logIn({ key: client.key })
    expect((await leaving.send(WHO)).status).toBe(200)
    const left = await leaving.session('DELETE')
    expect(left.headers.get('set-cookie')).toContain('Max-Age=0')
    expect((await leaving.send(WHO)).status).toBe(401)

    const set = async (
      browser: ReturnType<typeof testBrowser>,
      column: 'used_at' | 'expires_at',
      value: string,
    ) => {
      await browser.logIn({ key: client.key })
      await asOwner(database, (owner) =>
        sql`update console_sessions set ${sql.ref(column)} = now() + ${value}::interval`.execute(owner),
      )
      return (await browser.send(WHO)).status
    }
    expect(await set(testBrowser(client.url), 'used_at', '-11 hours')).toBe(200)
    expect(await set(testBrowser(client.url), 'used_at', '-13 hours')).toBe(401)
    expect(await set(testBrowser(client.url), 'expires_at', '-1 second')).toBe(401)
  })

  test('a subscription of a session ends with it', async () => {
    const browser = testBrowser(client.url)
    await browser.logIn({ key: client.key })
    const stream = await fetch(`${client.url}/graphql`, {
      method: 'POST',
      headers: {
        cookie: browser.cookie as string,
        'x-daybook-console': '1',
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query: 'subscription { events { sequence } }' }),
    })
    expect(stream.status).toBe(200)
    await browser.session('DELETE')
    expect(await stream.text()).toContain('This session of the console is over')
  })

  test('a WebSocket with the cookie must name its page', async () => {
    const browser = testBrowser(client.url)
    await browser.logIn({ key: client.key })
    const connect = (headers: Record<string, string>) =>
      new Promise<string>((resolve) => {
        const socket = new WebSocket(`${client.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
          headers: { cookie: browser.cookie as string, ...headers },
        })
        socket.once('open', () => socket.send(JSON.stringify({ type: 'connection_init' })))
        socket.once('message', (message) => {
          resolve(JSON.parse(String(message)).type)
          socket.close()
        })
        socket.once('close', (code) => resolve(String(code)))
        socket.once('error', () => resolve('refused'))
      })
    expect(await connect({ origin: client.url })).toBe('connection_ack')
    expect(await connect({})).toBe('4403')
    expect(await connect({ origin: 'https://app.example.com' })).toBe('4403')
    expect(await connect({ origin: 'https://evil.example' })).toBe('refused')
  })

  test('the database has hashes only, which the application cannot read', async () => {
    const browser = testBrowser(client.url)
    await browser.logIn({ key: client.key })
    const token = await tokenOf(client)
    const rows = await asOwner(database, async (owner) => [
      (await sql`select s::text from console_sessions s`.execute(owner)).rows,
      (await sql`select t::text from login_tokens t`.execute(owner)).rows,
    ])
    const text = JSON.stringify(rows)
    const bytes = (one: string) => Buffer.from(one).toString('hex')
    for (const secret of [token, (browser.cookie as string).split('=')[1] as string]) {
      expect(text).not.toContain(secret)
      expect(text).not.toContain(bytes(secret))
    }
    for (const column of ['console_sessions.token_hash', 'login_tokens.token_hash', 'login_tokens.key_id'])
      await expect(
        sql`select ${sql.ref(column)} from ${sql.table(column.split('.')[0] as string)}`.execute(database.db),
      ).rejects.toThrow('permission denied')
  })

  test('browsers get the page, at every address of it; programs what they always got', async () => {
    const get = (path: string, headers: Record<string, string>) =>
      fetch(client.url + path, { headers, redirect: 'manual' })
    for (const path of ['/', '/console', '/console/journal', '/console/memory/note%3A1?x=1']) {
      const page = await get(path, { accept: 'text/html,application/xhtml+xml' })
      expect([path, page.status]).toEqual([path, 200])
      expect(page.headers.get('content-security-policy')).toMatch(
        /^default-src 'none'; script-src 'self'; .*frame-ancestors 'none'.*require-trusted-types-for 'script'/u,
      )
      expect(page.headers.get('cache-control')).toBe('no-cache')
      const again = await get(path, {
        accept: 'text/html',
        'if-none-match': page.headers.get('etag') as string,
      })
      expect(again.status).toBe(304)
    }
    const redirected = await get('/', { accept: '*/*' })
    expect([redirected.status, redirected.headers.get('location')]).toEqual([302, '/graphql'])
    expect((await get('/console/journal', { accept: '*/*' })).status).toBe(404)
    expect((await get('/metrics', { accept: 'text/html' })).headers.get('content-type')).toContain(
      'text/plain',
    )

    const script = await get('/console/assets/main-ABC.js', { 'accept-encoding': 'br' })
    expect(script.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(script.headers.get('content-encoding')).toBe('br')
    for (const path of ['main-ABC.js.br', 'missing.js', '../index.html', '%2e%2e/index.html'])
      expect((await get(`/console/assets/${path}`, { accept: '*/*' })).status).toBe(404)
  })
})
