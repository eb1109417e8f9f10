import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { rawConnection } from '@daybook/runtime/testing/raw-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts'
import { createGraphiQLPage } from './graphiql-page.ts'

const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }

describe('C4: the page of GraphiQL', () => {
  const servers: Server[] = []
  afterAll(() => servers.forEach((server) => server.close()))
  const serve = async (render: () => Promise<string>): Promise<string> => {
    const page = createGraphiQLPage(render)
    const server = createServer((request, response) => {
      page.answer(request, response).catch(() => response.writeHead(500).end())
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const ask = (url: string, headers: Record<string, string>) => fetch(url, { headers })

  it('is made once, however many ask for it at once', async () => {
    let made = 0
    const url = await serve(async () => `page ${++made}`)
    const texts = await Promise.all(Array.from({ length: 20 }, async () => (await fetch(url)).text()))
    expect(new Set(texts)).toEqual(new Set(['page 1']))
  })

  it('is tried again after it could not be made', async () => {
    let tries = 0
    const url = await serve(async () => {
      tries += 1
      if (tries === 1) throw new Error('no memory')
      return 'page'
    })
    expect((await fetch(url)).status).toBe(500)
    expect(await (await fetch(url)).text()).toBe('page')
  })

  it('is sent as the client takes it, with a tag of its own for each form', async () => {
    const url = await serve(async () => 'page '.repeat(1_000))
    const encodings: [accepted: string, sent: string | null][] = [
      ['br, gzip', 'br'],
      ['gzip, deflate', 'gzip'],
      ['gzip;q=0.5, br;q=0', 'gzip'],
      ['*', 'br'],
      ['identity', null],
      ['br;q=x, *;q=0', null],
    ]
    for (const [accepted, sent] of encodings) {
      const response = await ask(url, { 'accept-encoding': accepted })
      expect(response.headers.get('content-encoding'), accepted).toBe(sent)
      expect(response.headers.get('etag')).toContain(sent ?? 'identity')
      expect(response.headers.get('vary')).toBe('accept, accept-encoding')
      expect(await response.text()).toBe('page '.repeat(1_000))
    }
  })

  it('is not sent again to who has it', async () => {
    const url = await serve(async () => 'page')
    const etag = (await ask(url, { 'accept-encoding': 'gzip' })).headers.get('etag') ?? ''
    const again = await ask(url, { 'accept-encoding': 'gzip', 'if-none-match': `"x", W/${etag}` })
    expect(again.status).toBe(304)
    expect(await again.text()).toBe('')
    const other = await ask(url, { 'accept-encoding': 'br', 'if-none-match': etag })
    expect(other.status).toBe(200)
  })
})

const [anyDatabase] = TEST_DATABASES
describe('C4: the gateway', () => {
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

  it('sends GraphiQL to browsers, compressed, and lets no other page show it in a frame', async () => {
    const response = await fetch(`${running.gateway.url}/graphql`, {
      headers: { ...HTML, 'accept-encoding': 'gzip' },
    })
    expect(response.status).toBe(200)
    expect(Number(response.headers.get('content-length'))).toBeLessThan(3_000_000)
    expect(response.headers.get('x-frame-options')).toBe('DENY')
    expect(response.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const page = await response.text()
    expect(page).toContain('<form id="daybook-key"')
    expect(page.length).toBeGreaterThan(5_000_000)
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
    await fetch(`${running.gateway.url}/graphql`, { headers: HTML })
    const before = process.memoryUsage().rss
    const sockets = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const socket = await rawConnection(running.gateway.url)
        socket.pause()
        socket.write('GET /graphql HTTP/1.1\r\nHost: a\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\n\r\n')
        return socket
      }),
    )
    // One more who reads to the end: by then the others have been answered as far as they take it.
    const last = await fetch(`${running.gateway.url}/graphql`, {
      headers: { ...HTML, 'accept-encoding': 'gzip' },
    })
    await last.arrayBuffer()
    const held = process.memoryUsage().rss - before
    for (const socket of sockets) socket.destroy()
    // A page each, uncompressed and in several copies, was 1,800 MB.
    expect(held).toBeLessThan(200_000_000)
  })
})
