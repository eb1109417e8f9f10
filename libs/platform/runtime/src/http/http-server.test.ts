import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { assert, asyncProperty } from 'fast-check'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { silentLogger } from '../logger.ts'
import { createMetrics } from '../metrics.ts'
import { startServiceHttp } from '../service-http.ts'
import { hostileRequest } from '../testing/hostile-request.ts'
import { createMemoryLogger } from '../testing/memory-logger.ts'
import { rawConnection, rawRequest, statusOf, untilClosed } from '../testing/raw-http.ts'
import {
  createHttpServer,
  DEFAULT_HTTP_LIMITS,
  type HttpServer,
  type HttpServerOptions,
  placeOf,
  SECURITY_HEADERS,
} from './http-server.ts'

const AT = { host: '127.0.0.1', port: 0 }
const turn = () => new Promise((resolve) => setImmediate(resolve))
/** Use more for a nightly run: 20000 take half a minute. */
const REQUESTS = Number(process.env['DAYBOOK_FUZZ_REQUESTS'] ?? 300)

describe('the server of every service', () => {
  const stops: (() => Promise<void>)[] = []
  afterEach(() => {
    vi.useRealTimers()
    return Promise.all(stops.splice(0).map((stop) => stop()))
  })
  const start = async (
    options: Pick<HttpServerOptions, 'handle'> & Partial<HttpServerOptions>,
    prepare: (server: HttpServer) => void = () => {},
  ): Promise<string> => {
    const server = createHttpServer({ logger: silentLogger, limits: DEFAULT_HTTP_LIMITS, ...options })
    prepare(server)
    stops.push(() => server.stop(0))
    return server.listen(AT)
  }
  const probes = async (): Promise<string> => {
    const ready = async () => ({ ready: true, problems: [] })
    const metrics = createMetrics({ service: 'projector' })
    const http = await startServiceHttp({ ready, metrics, logger: silentLogger }, AT)
    stops.push(http.stop)
    return http.url
  }

  it('a request for // is answered, and the process lives', async () => {
    const url = await probes()
    for (const target of ['//', '///', '//[', 'http://127.0.0.1/', '*', '//a:99999999/'])
      expect(
        statusOf(
          await rawRequest(url, `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n`),
        ),
      ).toBe(404)
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  it('whatever a stranger asks for and sends along, the probes answer, and never with 500', async () => {
    const url = await probes()
    await assert(
      asyncProperty(hostileRequest(['/', '/health', '/ready', '/metrics', '/x']), async (request) => {
        const status = statusOf(await rawRequest(url, request, 300))
        expect(status ?? 400).toBeLessThan(500)
      }),
      { numRuns: REQUESTS },
    )
    expect((await fetch(`${url}/health`)).status).toBe(200)
  })

  it('what a handler throws, at once or later, is logged and answered with 500', async () => {
    const { logger, lines } = createMemoryLogger()
    const url = await start({
      logger,
      handle: (_request, response, { path }) => {
        if (path === '/later') return Promise.reject(new Error('later'))
        if (path === '/after') {
          response.end('a')
          response.write('b')
          return undefined
        }
        throw new Error('at once')
      },
    })
    for (const path of ['/now', '/later']) {
      const response = await fetch(url + path)
      expect(response.status).toBe(500)
      expect(await response.text()).not.toMatch(/later|at once/)
    }
    expect(await (await fetch(`${url}/after`)).text()).toBe('a')
    expect(lines.map(({ msg }) => msg)).toEqual([
      'a request failed unexpectedly',
      'a request failed unexpectedly',
      'an answer could not be written',
    ])
  })

  it('a client that stops reading is cut off after the write timeout, a slow one is not', async () => {
    // Its clock stands still but for the steps of this test.
    vi.useFakeTimers({ toFake: ['performance', 'setInterval'] })
    const body = Buffer.alloc(20_000_000)
    const { writeTimeoutMs } = DEFAULT_HTTP_LIMITS
    const answering: Socket[] = []
    const url = await start({
      handle(_request, response) {
        if (response.socket !== null) answering.push(response.socket)
        response.end(body)
      },
    })
    const ask = async () => {
      const socket = await rawConnection(url)
      socket.pause()
      socket.write('GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
      return socket
    }
    const slow = await ask()
    while (answering.length === 0) await turn()
    const stalled = await ask()
    while (answering.length === 1) await turn()
    const [toSlow, toStalled] = answering as [Socket, Socket]
    slow.resume()
    for (let taken = 0; taken < 3; taken += 1) {
      const before = placeOf(toSlow)
      while (placeOf(toSlow) === before) await turn()
      vi.advanceTimersByTime(0.8 * writeTimeoutMs)
      expect(toSlow.destroyed).toBe(false)
    }
    await once(slow, 'close')
    expect(slow.bytesRead).toBeGreaterThan(body.length)
    for (; !toStalled.destroyed; await turn()) vi.advanceTimersByTime(writeTimeoutMs)
    stalled.resume()
    await once(stalled, 'close')
    expect(stalled.bytesRead).toBeLessThan(body.length)
  })

  it('a WebSocket whose client stops reading is cut off after the write timeout', async () => {
    const limits = { ...DEFAULT_HTTP_LIMITS, writeTimeoutMs: 300 }
    let cut: Promise<unknown> | undefined
    const url = await start({ limits, handle: (_request, response) => void response.end() }, (server) =>
      server.takeWebSockets('/ws', (_request, socket) => {
        cut = once(socket, 'close')
        socket.on('error', () => {})
        socket.write(Buffer.alloc(20_000_000))
      }),
    )
    const socket = await rawConnection(url)
    socket.pause()
    socket.write('GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n')
    await vi.waitUntil(() => cut)
    await cut
    socket.resume()
    await once(socket, 'close')
    expect(socket.bytesRead).toBeLessThan(20_000_000)
  })

  it('connections beyond the limit are closed at once, and the log says so', async () => {
    const { logger, lines } = createMemoryLogger()
    const limits = { ...DEFAULT_HTTP_LIMITS, maxConnections: 2 }
    const url = await start({ logger, limits, handle: (_request, response) => void response.end('a') })
    const first = await Promise.all([rawConnection(url), rawConnection(url)])
    const third = await rawConnection(url)
    await once(third, 'close')
    expect(lines).toMatchObject([{ maxConnections: 2 }])
    for (const socket of first) socket.destroy()
  })

  it('clients that keep their half of a closed connection open give it back after a few seconds', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const slow = 'GET / HTTP/1.1\r\nHost: a\r\nX-Slow: '
    const limits = { ...DEFAULT_HTTP_LIMITS, maxConnections: 201, headersTimeoutMs: 200 }
    const ended: Promise<unknown>[] = []
    const url = await start({ limits, handle: (_request, response) => void response.end('a') }, (server) =>
      server.takeWebSockets('/ws', (_request, socket) => {
        ended.push(once(socket, 'finish'))
        socket.end()
      }),
    )
    const socketOf = async (request: string) => {
      const socket = connect({ port: Number(new URL(url).port), host: '127.0.0.1', allowHalfOpen: true })
      socket.on('error', () => {}).resume()
      socket.write(request)
      await once(socket, 'end')
      return socket
    }
    const held = await Promise.all([
      socketOf('GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n'),
      ...Array.from({ length: 200 }, () => socketOf(slow)),
    ])
    await Promise.all(ended)
    const ask = () => rawRequest(url, 'GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n')
    expect(statusOf(await ask())).toBeNull()
    vi.advanceTimersByTime(5_000)
    // A socket is counted until its close was handled.
    for (let turns = 0; turns < 10; turns += 1) await turn()
    expect(statusOf(await ask())).toBe(200)
    for (const socket of held) socket.destroy()
  })

  it('a connection stays open for longer than load balancers keep theirs', async () => {
    const url = await probes()
    const { headers } = await fetch(`${url}/health`)
    expect(headers.get('keep-alive')).toBe(`timeout=${DEFAULT_HTTP_LIMITS.keepAliveMs / 1_000}`)
    expect(DEFAULT_HTTP_LIMITS.keepAliveMs).toBeGreaterThan(60_000)
  })

  it('an upgrade to anything but a WebSocket is ignored, and its body and what follows are read', async () => {
    const seen: string[] = []
    const upgraded: string[] = []
    const url = await start(
      {
        async handle(request, response, { path }) {
          let body = ''
          for await (const part of request) body += String(part)
          seen.push(`${request.method} ${path} ${body} ${request.headers.upgrade ?? 'none'}`)
          response.end('answered')
        },
      },
      (server) =>
        server.takeWebSockets('/ws', (request, socket) => {
          upgraded.push(request.url ?? '')
          socket.destroy()
        }),
    )
    const h2c = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n'
    const first = `POST /a HTTP/1.1\r\nHost: a\r\n${h2c}Content-Length: 4\r\n\r\nbody`
    const second = 'GET /b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n'
    const answers = await rawRequest(url, first + second)
    expect(answers.match(/HTTP\/1\.1 200/gu)).toHaveLength(2)
    // Both were begun at once and answered in order.
    expect(seen.toSorted()).toEqual(['GET /b  none', 'POST /a body none'])

    const socket = await rawConnection(url)
    socket.write('GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: WebSocket\r\n\r\n')
    await untilClosed(socket)
    expect(upgraded).toEqual(['/ws'])
    const elsewhere = 'GET /c HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, close\r\nUpgrade: websocket\r\n\r\n'
    expect(statusOf(await rawRequest(url, elsewhere))).toBe(200)
  })

  it('a request whose head or body is too slow gets 408, with the setting, and an idle connection stays', async () => {
    const limits = { ...DEFAULT_HTTP_LIMITS, headersTimeoutMs: 200, requestTimeoutMs: 600 }
    const url = await start({ limits, handle: (_request, response) => void response.end('answered') })
    const slowHead = await rawConnection(url)
    slowHead.write('GET / HTTP/1.1\r\nHost: a\r\nX-Slow: ')
    const dribble = setInterval(() => slowHead.write('y'), 50)
    const answer = await untilClosed(slowHead)
    clearInterval(dribble)
    expect(statusOf(answer)).toBe(408)
    expect(answer).toContain('DAYBOOK_HEADERS_TIMEOUT')
    expect(answer).toContain("content-security-policy: default-src 'none'")

    // A time between two requests is not a slow head.
    let idle: Socket
    const asked = async () => {
      idle.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
      return statusOf(String(await once(idle, 'data')))
    }
    // A busy machine may take too long for the first request, too.
    do idle = await rawConnection(url)
    while ((await asked()) !== 200)
    // The younger one is closed, so it could have been.
    const nothing = await rawConnection(url)
    expect(statusOf(await untilClosed(nothing))).toBe(408)
    expect(await asked()).toBe(200)
    idle.destroy()
  })

  it('a body that is slow to a handler that reads it gets 408', async () => {
    const limits = { ...DEFAULT_HTTP_LIMITS, headersTimeoutMs: 200, requestTimeoutMs: 400 }
    const url = await start({
      limits,
      async handle(request, response) {
        for await (const _ of request);
        response.end()
      },
    })
    const socket = await rawConnection(url)
    socket.write('POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\n')
    const dribble = setInterval(() => socket.write('y'), 50)
    const answer = await untilClosed(socket)
    clearInterval(dribble)
    expect(statusOf(answer)).toBe(408)
    expect(answer).toContain('DAYBOOK_REQUEST_TIMEOUT')
  })

  it('a request that is none, or has headers without end, is answered so, with the headers of every answer', async () => {
    const url = await probes()
    const cases: [request: string, status: number][] = [
      ['nonsense\r\n\r\n', 400],
      [`GET / HTTP/1.1\r\nHost: a\r\nX: ${'y'.repeat(20_000)}\r\n\r\n`, 431],
      ['GET /health HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n', 400],
    ]
    for (const [request, status] of cases) {
      const answer = await rawRequest(url, request)
      expect(statusOf(answer)).toBe(status)
      for (const header of Object.keys(SECURITY_HEADERS)) expect(answer).toContain(`\r\n${header}: `)
    }
  })
})
