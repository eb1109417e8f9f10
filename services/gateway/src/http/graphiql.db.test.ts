import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { rawConnection } from '@daybook/runtime/testing/raw-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts'
import { createGraphiQLPage, type GraphiQLParts } from './graphiql.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('the page of GraphiQL', () => {
  const servers: Server[] = []
  afterAll(() => servers.forEach((server) => server.close()))
  const serve = async (load: () => Promise<GraphiQLParts>): Promise<string> => {
    const page = createGraphiQLPage(load)
    const server = createServer((request, response) => {
      const answered = page.answerFile(request.url ?? '', request, response)
      answered
        .then((isFile) => (isFile ? undefined : page.answer(request, response)))
        .catch(() => response.writeHead(500).end())
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const partsOf = (script: string): GraphiQLParts => ({
    script,
    style: 'a {}',
    page: (names) => `${names.nonce} ${names.script} ${names.style}`,
  })
  /** The page, as its three words. */
  const read = async (url: string) => {
    const response = await fetch(url)
    const [nonce = '', script = '', style = ''] = (await response.text()).split(' ')
    return { nonce, script, style, response }
  }
  const ask = (url: string, headers: Record<string, string>) => fetch(url, { headers })

  it('is made once, however many ask for it at once, and has another nonce for each', async () => {
    let made = 0
    const url = await serve(async () => partsOf(`script ${++made}`))
    const pages = await Promise.all(Array.from({ length: 20 }, () => read(url)))
    expect(made).toBe(1)
    expect(new Set(pages.map(({ script }) => script)).size).toBe(1)
    expect(new Set(pages.map(({ nonce }) => nonce)).size).toBe(20)
    for (const { nonce, response } of pages)
      expect(response.headers.get('content-security-policy')).toContain(`script-src 'nonce-${nonce}';`)
  })

  it('is tried again after it could not be made', async () => {
    let tries = 0
    const url = await serve(async () => {
      tries += 1
      if (tries === 1) throw new Error('no memory')
      return partsOf('script')
    })
    expect((await fetch(url)).status).toBe(500)
    expect((await fetch(url)).status).toBe(200)
  })

  it('has files that are sent as the client takes them, with a tag of its own for each form', async () => {
    const url = await serve(async () => partsOf('script '.repeat(1_000)))
    const { script, style } = await read(url)
    expect(await (await fetch(url + style)).text()).toBe('a {}')
    const encodings: [accepted: string, sent: string | null][] = [
      ['br, gzip', 'br'],
      ['gzip, deflate', 'gzip'],
      ['gzip;q=0.5, br;q=0', 'gzip'],
      ['*', 'br'],
      ['identity', null],
    ]
    for (const [accepted, sent] of encodings) {
      const response = await ask(url + script, { 'accept-encoding': accepted })
      expect(response.headers.get('content-encoding'), accepted).toBe(sent)
      expect(response.headers.get('etag')).toContain(sent ?? 'identity')
      expect(response.headers.get('vary')).toBe('accept-encoding')
      expect(await response.text()).toBe('script '.repeat(1_000))
    }
  })

  it('has files that are not sent again to who has them', async () => {
    const url = await serve(async () => partsOf('script'))
    const { script } = await read(url)
    const first = await ask(url + script, { 'accept-encoding': 'gzip' })
    expect(first.headers.get('cache-control')).toContain('immutable')
    const etag = first.headers.get('etag') ?? ''
    const again = await ask(url + script, { 'accept-encoding': 'gzip', 'if-none-match': `"x", W/${etag}` })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
    const other = await ask(url + script, { 'accept-encoding': 'br', 'if-none-match': etag })
    expect(other.status).toBe(200)
  })
})

const [anyDatabase] = TEST_DATABASES

describe('the gateway', () => {
  let database: TestDatabase
  let running: TestGateway
  beforeAll(async () => {
    if (anyDatabase === undefined) throw new Error('there is no database to test on')
    database = await anyDatabase.start()
    running = await startTestGateway(database, null)
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })

  const scriptOf = (page: string) => /src="(\/graphql\/[^"]+\.js)"/u.exec(page)?.[1] ?? ''

  it('sends GraphiQL to browsers, compressed, and lets no other page show it in a frame', async () => {
    const { url } = running.gateway
    const response = await fetch(`${url}/graphql`, { headers: HTML })
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('x-frame-options')).toBe('DENY')
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const page = await response.text()
    expect(page).toContain('<form id="daybook-key"')
    const script = await fetch(url + scriptOf(page), { headers: { 'accept-encoding': 'gzip' } })
    expect(Number(script.headers.get('content-length'))).toBeLessThan(3_000_000)
    expect((await script.text()).length).toBeGreaterThan(5_000_000)
  })

  it('runs and styles nothing without the nonce, and loads nothing from elsewhere', async () => {
    const { url } = running.gateway
    const response = await fetch(`${url}/graphql`, { headers: HTML })
    const policy = response.headers.get('content-security-policy') ?? ''
    const nonce = /script-src 'nonce-([\w-]{22})'/u.exec(policy)?.[1]
    expect(policy).toMatch(/^default-src 'none'/u)
    expect(policy).not.toMatch(/unsafe|https?:|\*/u)
    const page = await response.text()
    const elements = page.match(/<(?:script|style|link rel="stylesheet")[^>]*>/gu) ?? []
    expect(elements).toHaveLength(5)
    for (const element of elements) expect(element).toContain(`nonce="${nonce}"`)
    expect(page).not.toMatch(/<[^>]+\s(?:style|on\w+)=/u)
    expect(
      page.match(/(?:src|href)="[^"]*"/gu)?.filter((one) => !/="(?:\/graphql\/|data:)/u.test(one)),
    ).toEqual([])
  })

  it('has no GraphiQL where it is switched off', async () => {
    const off = await startTestGateway(database, null, { environment: { DAYBOOK_GRAPHIQL: 'off' } })
    try {
      const response = await fetch(`${off.gateway.url}/graphql`, { headers: HTML })
      expect(response.status).toBe(401)
      expect(response.headers.get('content-type')).toContain('application/json')
    } finally {
      await off.stop()
    }
  })

  it('holds one page for 60 readers who stop reading', async () => {
    const { url } = running.gateway
    const script = scriptOf(await (await fetch(`${url}/graphql`, { headers: HTML })).text())
    await (await fetch(url + script)).arrayBuffer()
    const before = process.memoryUsage().rss
    const sockets = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const socket = await rawConnection(url)
        socket.pause()
        socket.write(`GET ${script} HTTP/1.1\r\nHost: ${new URL(url).host}\r\nAccept-Encoding: gzip\r\n\r\n`)
        return socket
      }),
    )
    // One more who reads to the end: by then the others have been answered as far as they take it.
    const last = await fetch(url + script, { headers: { 'accept-encoding': 'gzip' } })
    await last.arrayBuffer()
    const held = process.memoryUsage().rss - before
    for (const socket of sockets) socket.destroy()
    // A page each, uncompressed and in several copies, was 1,800 MB.
    expect(held).toBeLessThan(200_000_000)
  })
})
