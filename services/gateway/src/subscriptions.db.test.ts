import { setTimeout as sleep } from 'node:timers/promises'
import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { createClient } from 'graphql-ws'
import { describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startTestGateway, type TestClient, useTestGateway } from './testing/test-gateway.ts'

const EVENTS =
  'subscription ($after: Int, $filter: MemoryFilter) { events(after: $after, filter: $filter) { sequence } }'

interface Following {
  /** Sequences so far. */
  readonly seen: number[]
  end(): void
}

/** Follows over SSE, as curl would. */
function overSse(client: TestClient, variables: object): Following {
  const abort = new AbortController()
  const seen: number[] = []
  const run = async () => {
    const response = await fetch(`${client.url}/graphql`, {
      method: 'POST',
      signal: abort.signal,
      headers: {
        authorization: `Bearer ${client.key}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query: EVENTS, variables }),
    })
    let text = ''
    for await (const part of (response.body ?? []) as AsyncIterable<Uint8Array>) {
      text += Buffer.from(part).toString('utf8')
      seen.splice(
        0,
        seen.length,
        ...[...text.matchAll(/"sequence":(\d+)/gu)].map((match) => Number(match[1])),
      )
    }
  }
  run().catch((error: unknown) => {
    if (!abort.signal.aborted) throw error
  })
  return { seen, end: () => abort.abort() }
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

  const write = async (times: number, kind: 'note' | 'todo' = 'note') => {
    const content = kind === 'note' ? { note: { text: 'n' } } : { todo: { description: 't' } }
    for (let i = 0; i < times; i += 1)
      await suite.client.data(
        'mutation ($c: MemoryContentInput!) { remember(input: { content: $c }) { __typename } }',
        { c: content },
      )
  }

  describe.each([
    ['SSE', overSse],
    ['WebSocket', overWebSocket],
  ] as const)('over %s', (_, follow) => {
    test('every event from `after` on comes once, in order, while clients write', async () => {
      await write(150)
      const writing = write(60)
      const following = follow(suite.client, { after: 20 })
      await writing
      await expect.poll(() => following.seen.length).toBe(190)
      await sleep(50)
      expect(following.seen).toEqual(Array.from({ length: 190 }, (_unused, i) => 21 + i))
      following.end()
    })

    test('without `after` only what comes from now on', async () => {
      await write(2)
      const following = follow(suite.client, {})
      await sleep(500)
      await write(2)
      await expect.poll(() => following.seen).toEqual([3, 4])
      following.end()
    })

    test('the filter holds', async () => {
      const following = follow(suite.client, { after: 0, filter: { kinds: ['TODO'] } })
      await write(1)
      await write(1, 'todo')
      await write(1)
      await expect.poll(() => following.seen).toEqual([2])
      following.end()
    })
  })

  test("another project's events are not seen", async () => {
    const other = await suite.running.newClient()
    const following = overSse(other, { after: 0 })
    await write(3)
    await sleep(300)
    expect(following.seen).toEqual([])
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
    const sse = overSse(its, { after: 0 })
    const socket = overWebSocket(its, { after: 0 })
    await sleep(300)
    // So many that they are being written when the stop comes, also where the request took a while to get there.
    const underWay = its.data(
      'mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { ... on Remembered { sequence } } }',
      { inputs: Array.from({ length: 300 }, (_, at) => ({ content: { note: { text: `last ${at}` } } })) },
    )
    await sleep(30)
    const started = Date.now()
    const stopping = own.stop()
    const written = (await underWay)['rememberMany'] as { sequence: number }[]
    expect(written.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 300 }, (_, at) => at + 1))
    await stopping
    expect(Date.now() - started).toBeLessThan(2_900)
    expect(await socket.closed).toBeGreaterThanOrEqual(1000)
    sse.end()
  })
})
