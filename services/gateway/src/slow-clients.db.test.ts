import { once } from 'node:events'
import type { Socket } from 'node:net'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import { createMemoryLogger } from '@daybook/runtime/testing/memory-logger'
import { rawConnection, statusOf, untilClosed } from '@daybook/runtime/testing/raw-http'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { openSocket } from './testing/raw-socket.ts'
import { REMEMBER, startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

/* Clients that hold on to what they have and give nothing: bytes, answers to pings, or their attention. */

const [anyDatabase] = TEST_DATABASES
const FOLLOW = 'subscription { events { sequence } }'

describe('slow clients', () => {
  const { logger, lines } = createMemoryLogger()
  let database: TestDatabase
  let running: TestGateway
  let client: TestClient
  /** Its project has 1 MB of memories. */
  let full: TestClient
  /** Gateways with short limits, each for one test: there even a good client may be too slow on a busy machine. */
  const hasty: TestGateway[] = []
  beforeAll(async () => {
    if (anyDatabase === undefined) throw new Error('there is no database to test on')
    database = await anyDatabase.start()
    running = await startTestGateway(database, null, {
      logger,
      environment: { DAYBOOK_STREAMS_PER_KEY: '2' },
    })
    client = await running.newClient(true)
    full = await running.newClient()
    const text = 'word '.repeat(10_000)
    for (let index = 0; index < 20; index += 1)
      await full.data(REMEMBER, { input: { content: { note: { text: `${index} ${text}` } } } })
  })
  afterEach(async () => {
    vi.useRealTimers()
    for (const gateway of hasty.splice(0)) await gateway.stop()
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })

  /** @returns the client at a new gateway with these settings */
  const atHasty = async (environment: Readonly<Record<string, string>>, of = client): Promise<TestClient> => {
    const gateway = await startTestGateway(database, null, { logger, environment })
    hasty.push(gateway)
    return gateway.client(of)
  }
  /** Sends the text, and then `y` every 50 ms, until the server has answered and closed the connection. */
  const dribble = async (url: string, text: string): Promise<string> => {
    const socket = await rawConnection(url)
    socket.write(text)
    const timer = setInterval(() => socket.writable && socket.write('y'), 50)
    try {
      // A server that has no time for its answer within a second closes the connection without one.
      return (await untilClosed(socket)) || (await dribble(url, text))
    } finally {
      clearInterval(timer)
    }
  }
  const head = (path: string, more = '', { url } = client) => {
    const { host } = new URL(url)
    return `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nAuthorization: Bearer ${client.key}\r\nContent-Type: application/json\r\n${more}`
  }
  const faults = () => lines.filter(({ level }) => Number(level) >= 50)

  test.each(['/graphql', '/journal/import', '/graphql/key'])(
    'a head that never ends gets 408 at %s',
    async (path) => {
      const { url } = await atHasty({ DAYBOOK_HEADERS_TIMEOUT: '400ms' })
      const answer = await dribble(url, head(path, 'X-Slow: '))
      expect(statusOf(answer)).toBe(408)
      expect(answer).toContain('"code":"REQUEST_TIMEOUT"')
      expect(answer).toContain('DAYBOOK_HEADERS_TIMEOUT')
    },
  )

  test('a query that never ends gets 408 with the setting, and its connection is closed', async () => {
    const at = await atHasty({ DAYBOOK_REQUEST_TIMEOUT: '700ms' })
    const answer = await dribble(at.url, head('/graphql', 'Content-Length: 100000\r\n\r\n', at))
    expect(statusOf(answer)).toBe(408)
    expect(answer).toContain('DAYBOOK_REQUEST_TIMEOUT')
    expect(faults()).toEqual([])
  })

  test('an import that sends nothing is cut off, one that goes on slowly is not', async () => {
    const at = await atHasty({ DAYBOOK_REQUEST_TIMEOUT: '700ms' })
    const silent = await rawConnection(at.url)
    const startedAt = performance.now()
    silent.write(head('/journal/import', 'Content-Length: 100000\r\n\r\n{"da', at))
    await once(silent, 'close')
    expect(performance.now() - startedAt).toBeGreaterThan(600)

    const slow = await rawConnection(at.url)
    let closed = false
    slow.once('close', () => {
      closed = true
    })
    slow.write(head('/journal/import', 'Content-Length: 100000\r\n\r\n', at))
    let longestPause = 0
    for (let sent = 0; sent < 10; sent += 1) {
      slow.write(' ')
      const pausedAt = performance.now()
      await pause(200)
      longestPause = Math.max(longestPause, performance.now() - pausedAt)
    }
    // On a busy machine it may have been silent for too long after all.
    expect(closed && longestPause < 400).toBe(false)
    slow.destroy()
    expect(faults()).toEqual([])
  })

  test('a connection between two requests is not slow', async () => {
    const at = await atHasty({ DAYBOOK_HEADERS_TIMEOUT: '400ms' })
    const body = '{"query":"{ __typename }"}'
    let socket: Socket
    const asked = async () => {
      socket.write(head('/graphql', `Content-Length: ${body.length}\r\n\r\n${body}`, at))
      return statusOf(String(await once(socket, 'data')))
    }
    // A busy machine may take too long for the first request, too.
    do socket = await rawConnection(at.url)
    while ((await asked()) !== 200)
    // A younger one that says nothing is closed, so this could have been.
    expect(statusOf(await untilClosed(await rawConnection(at.url)))).toBe(408)
    expect(await asked()).toBe(200)
    socket.destroy()
  })

  test('a WebSocket whose client answers no ping is cut off, one that answers stays', async () => {
    // Its clock stands still but for the steps of this test.
    vi.useFakeTimers({ toFake: ['setInterval'] })
    const at = await atHasty({ DAYBOOK_WEBSOCKET_PING: '300ms' })
    const connect = (autoPong: boolean) =>
      new WebSocket(`${at.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
        headers: { authorization: `Bearer ${at.key}` },
        autoPong,
      })
    const opened = async (autoPong: boolean) => {
      const socket = connect(autoPong)
      await once(socket, 'open')
      socket.send('{"type":"connection_init"}')
      await once(socket, 'message')
      return socket
    }
    const [dead, alive] = [await opened(false), await opened(true)]
    const closed = once(dead, 'close')
    for (let round = 0; round < 3; round += 1) {
      const pinged = once(alive, 'ping')
      vi.advanceTimersByTime(300)
      await pinged
      // An answer to what is sent after the pong: by then the server has that, too.
      alive.send('{"type":"ping"}')
      await once(alive, 'message')
    }
    await closed
    expect(alive.readyState).toBe(WebSocket.OPEN)
    alive.terminate()
    await once(alive, 'close')
  })

  test('a WebSocket that never says who it is is closed', async () => {
    const socket = new WebSocket(`${client.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await once(socket, 'open')
    const [code] = await once(socket, 'close')
    expect(code).toBe(4408)
  })

  test('a WebSocket that asks and reads nothing does not fill our memory', async () => {
    // Without what would end it sooner.
    const own = await atHasty(
      { DAYBOOK_WEBSOCKET_PING: '1h', DAYBOOK_WRITE_TIMEOUT: '1h', DAYBOOK_WEBSOCKET_BUFFER: '1MiB' },
      full,
    )
    const socket = new WebSocket(`${own.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: { authorization: `Bearer ${own.key}` },
    })
    await once(socket, 'open')
    socket.send('{"type":"connection_init"}')
    await once(socket, 'message')
    const closed = once(socket, 'close')
    socket.pause()
    const before = process.memoryUsage().rss
    // Each answer has 1 MB.
    const query = '{ journal(first: 100) { memory { text } } }'
    for (let index = 0; index < 400; index += 1)
      socket.send(JSON.stringify({ id: String(index), type: 'subscribe', payload: { query } }))
    await expect
      .poll(() => lines.map(({ msg }) => msg))
      .toContainEqual(expect.stringMatching(/cut off.*DAYBOOK_WEBSOCKET_BUFFER/u))
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
    socket.resume()
    await closed
    expect(faults()).toEqual([])
  })

  test('a key has so many WebSockets, and gets a place when one closes', async () => {
    const own = await running.newClient()
    const [first, second] = [await openSocket(own), await openSocket(own)]
    const third = new WebSocket(`${own.url.replace('http', 'ws')}/graphql`, 'graphql-transport-ws', {
      headers: { authorization: `Bearer ${own.key}` },
    })
    await once(third, 'open')
    third.send('{"type":"connection_init"}')
    const [code, reason] = await once(third, 'close')
    expect(code).toBe(1013)
    expect(String(reason)).toMatch(/2 streams open.*DAYBOOK_STREAMS_PER_KEY/u)
    const others = await running.newClient()
    ;(await openSocket(others)).terminate()
    first.terminate()
    await first.closed
    // Once the server knows, too.
    const again = await vi.waitFor(() => openSocket(own))
    for (const socket of [second, again]) socket.terminate()
  })

  test('SSE counts as well, until its client leaves', async () => {
    const own = await running.newClient()
    const follow = (signal: AbortSignal) =>
      fetch(`${own.url}/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${own.key}`,
          'content-type': 'application/json',
          accept: 'text/event-stream',
        },
        body: JSON.stringify({ query: FOLLOW }),
        signal,
      })
    const leaving = [new AbortController(), new AbortController(), new AbortController()] as const
    const first = await follow(leaving[0].signal)
    const socket = await openSocket(own)
    expect(first.status).toBe(200)
    const refused = await (await follow(leaving[1].signal)).text()
    expect(refused).toContain('TOO_MANY_STREAMS')
    expect(refused).toContain('DAYBOOK_STREAMS_PER_KEY')
    // Several subscriptions on one WebSocket are one stream.
    for (const id of ['a', 'b', 'c']) {
      socket.send({ id, type: 'subscribe', payload: { query: FOLLOW } })
      socket.send({ id, type: 'complete' })
    }
    leaving[0].abort()
    // Once the server knows, too.
    await vi.waitFor(async () => {
      const reader = (await follow(leaving[2].signal)).body?.getReader()
      expect(String(new TextDecoder().decode((await reader?.read())?.value))).not.toContain('TOO_MANY')
    })
    leaving[2].abort()
    socket.terminate()
  })

  test('an SSE client that stops reading is cut off, and its place is free', async () => {
    // 1 MB each, so that 20 do not fit into the buffers of the operating system.
    const texts = Array.from({ length: 20 }, (_, index) => `t${index}: text`).join(' ')
    const query = `subscription { events(after: 0) { memory { ${texts} } } }`
    const body = JSON.stringify({ query })
    const at = await atHasty({ DAYBOOK_WRITE_TIMEOUT: '1s', DAYBOOK_STREAMS_PER_KEY: '2' }, full)
    const begin = async () => {
      const socket = await rawConnection(at.url)
      const headers = `Accept: text/event-stream\r\nContent-Length: ${body.length}\r\n\r\n`
      socket.write(`${head('/graphql', headers, at).replace(client.key, full.key)}${body}`)
      return socket
    }
    const stalled = [await begin(), await begin()]
    const closed = stalled.map((socket) => once(socket, 'close'))
    for (const socket of stalled) socket.pause()
    await expect
      .poll(() => lines.filter(({ msg }) => String(msg).includes('DAYBOOK_WRITE_TIMEOUT')))
      .toHaveLength(2)
    for (const socket of stalled) socket.resume()
    await Promise.all(closed)
    for (const { bytesRead } of stalled) expect(bytesRead).toBeLessThan(20_000_000)
    const next = await begin()
    const [answer] = (await once(next, 'data')) as [Buffer]
    expect(String(answer)).not.toContain('TOO_MANY_STREAMS')
    next.destroy()
    expect(faults()).toEqual([])
  })
})
