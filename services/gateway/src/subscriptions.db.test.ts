import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { createClient } from 'graphql-ws'
import { describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { listen, startTestGateway, type TestClient, useTestGateway } from './testing/test-gateway.ts'

const EVENTS =
  'subscription ($after: Int, $filter: MemoryFilter) { events(after: $after, filter: $filter) { sequence } }'

interface Following {
  /** Sequences so far. */
  readonly seen: number[]
  end(): void
}

/** Follows over SSE, as curl would. */
async function overSse(client: TestClient, variables: object): Promise<Following> {
  const { received, end } = await listen(client, EVENTS, variables)
  return {
    get seen() {
      return [...received().matchAll(/"sequence":(\d+)/gu)].map((match) => Number(match[1]))
    },
    end: () => void end(),
  }
}

/** Follows over WebSocket, with the key in the connection's parameters, as a browser would. */
function overWebSocket(
  client: TestClient,
  variables: object,
  key = client.key,
): Following & { closed: Promise<number> } {
  const seen: number[] = []
  let closedWith: (code: number) => void
  const closed = new Promise<number>((resolve) => {
    closedWith = resolve
  })
  const socket = createClient({
    url: `${client.url.replace('http', 'ws')}/graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { Authorization: `Bearer ${key}` },
    retryAttempts: 0,
    lazy: true,
    on: { closed: (event) => closedWith((event as { code: number }).code) },
  })
  const end = socket.subscribe<{ events: { sequence: number } }>(
    { query: EVENTS, variables: variables as Record<string, unknown> },
    { next: ({ data }) => data && seen.push(data.events.sequence), error: () => {}, complete: () => {} },
  )
  return { seen, end, closed }
}

describe.each(SERVICE_DATABASES)('subscriptions on $name', ({ start }) => {
  const suite = useTestGateway(start)

  const write = async (times: number, kind: 'note' | 'todo' = 'note', client = suite.client) => {
    const content = kind === 'note' ? { note: { text: 'n' } } : { todo: { description: 't' } }
    for (let i = 0; i < times; i += 1)
      await client.data(
        'mutation ($c: MemoryContentInput!) { remember(input: { content: $c }) { __typename } }',
        { c: content },
      )
  }

  describe.each([
    ['SSE', overSse],
    ['WebSocket', overWebSocket],
  ] as const)('over %s', (_, follow) => {
    test('every event from `after` on comes once, in order, while clients write', async () => {
      await write(50)
      const writing = write(30)
      const following = await follow(suite.client, { after: 20 })
      await writing
      await expect.poll(() => following.seen.length).toBe(60)
      // The later one proves that nothing more came before it.
      await write(1)
      await expect.poll(() => following.seen.length).toBe(61)
      expect(following.seen).toEqual(Array.from({ length: 61 }, (_unused, i) => 21 + i))
      following.end()
    })

    test('without `after` only what comes from now on', async () => {
      await write(2)
      const following = await follow(suite.client, {})
      // Nobody says from when on it is there.
      await vi.waitUntil(async () => {
        await write(1)
        return following.seen.length > 2
      })
      const [first = 0] = following.seen
      expect(first).toBeGreaterThan(2)
      expect(following.seen).toEqual(following.seen.map((_unused, i) => first + i))
      following.end()
    })

    test('the filter holds', async () => {
      const following = await follow(suite.client, { after: 0, filter: { kinds: ['TODO'] } })
      await write(1)
      await write(1, 'todo')
      await write(1)
      await expect.poll(() => following.seen).toEqual([2])
      following.end()
    })
  })

  test("another project's events are not seen", async () => {
    const other = await suite.running.newClient()
    const following = await overSse(other, { after: 0 })
    await write(3)
    // One of its own proves that nothing came before it.
    await write(1, 'note', other)
    await expect.poll(() => following.seen).toEqual([1])
    following.end()
  })

  test('a WebSocket with a wrong key is closed as forbidden', async () => {
    const following = overWebSocket(suite.client, { after: 0 }, 'dbk_wrong')
    expect(await following.closed).toBe(4403)
    expect(following.seen).toEqual([])
  })

  test('a stop of the gateway ends subscriptions and finishes the requests under way', async () => {
    const own = await startTestGateway(suite.database)
    const its = await own.newClient()
    const following = [await overSse(its, { after: 0 }), overWebSocket(its, { after: 0 })] as const
    await write(1, 'note', its)
    await vi.waitUntil(() => following.every(({ seen }) => seen.length === 1))
    const underWay = request(`${its.url}/graphql`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${its.key}`,
        'content-type': 'application/json',
        expect: '100-continue',
      },
    })
    underWay.flushHeaders()
    await once(underWay, 'continue')
    // Time stands still: what is under way has all that it needs, and the stop waits for no end of a time.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      const stopping = own.stop()
      const query =
        'mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { ... on Remembered { sequence } } }'
      const inputs = Array.from({ length: 300 }, (_, at) => ({ content: { note: { text: `last ${at}` } } }))
      underWay.end(JSON.stringify({ query, variables: { inputs } }))
      const [response] = (await once(underWay, 'response')) as [IncomingMessage]
      const { data } = JSON.parse(await text(response)) as { data: { rememberMany: { sequence: number }[] } }
      expect(data.rememberMany.map(({ sequence }) => sequence)).toEqual(
        Array.from({ length: 300 }, (_, at) => at + 2),
      )
      await stopping
    } finally {
      vi.runOnlyPendingTimers()
      vi.useRealTimers()
    }
    const [sse, socket] = following
    expect(await socket.closed).toBeGreaterThanOrEqual(1000)
    sse.end()
  })
})
