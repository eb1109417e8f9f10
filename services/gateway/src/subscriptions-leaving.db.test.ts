import { asOwner } from '@daybook/postgres/testing/as-owner'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { createMetrics } from '@daybook/runtime/metrics'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { openSocket } from './testing/raw-socket.ts'
import { startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

/** What never comes: nothing that a filter meets at its next yield. */
const NEVER = 'subscription { events(after: 0, filter: { context: "nowhere" }) { sequence } }'

describe.each(SERVICE_DATABASES)('subscribers who leave, on $name', ({ start }) => {
  let database: TestDatabase
  let running: TestGateway
  let client: TestClient
  const metrics = createMetrics({ service: 'gateway' })

  beforeAll(async () => {
    database = await start()
    running = await startTestGateway(database, undefined, {
      metrics,
      environment: { DAYBOOK_SUBSCRIPTIONS_PER_CONNECTION: '50', DAYBOOK_SUBSCRIPTIONS_PER_KEY: '1000' },
    })
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })
  beforeEach(async () => {
    client = await running.newClient()
  })

  const open = async () =>
    Number(/daybook_subscriptions_open\{[^}]*\} (\d+)/u.exec(await metrics.text())?.[1])
  const endKey = (column: 'revoked_at' | 'expires_at') =>
    asOwner(database, (trx) =>
      trx
        .updateTable('api_keys')
        .set({ [column]: sql`now()` })
        .where('id', 'in', (keys) =>
          keys.selectFrom('api_key_projects').select('key_id').where('project_id', '=', client.projectId),
        )
        .execute(),
    )
  const subscribeOverSse = async (signal: AbortSignal, query = NEVER) =>
    fetch(`${client.url}/graphql`, {
      method: 'POST',
      signal,
      headers: {
        authorization: `Bearer ${client.key}`,
        'content-type': 'application/json',
        accept: 'text/event-stream',
      },
      body: JSON.stringify({ query }),
    })

  test('a thousand subscribers over SSE and WebSocket are gone once they have left', async () => {
    await client.data('mutation { remember(input: { content: { note: { text: "n" } } }) { __typename } }')
    const leave = new AbortController()
    const sockets = await Promise.all(Array.from({ length: 10 }, () => openSocket(client)))
    for (const socket of sockets)
      for (let i = 0; i < 50; i += 1)
        socket.send({ type: 'subscribe', id: `${i}`, payload: { query: NEVER } })
    // Keep a reference: fetch cancels a response that is garbage-collected.
    const responses: Response[] = []
    for (let i = 0; i < 10; i += 1)
      responses.push(...(await Promise.all(Array.from({ length: 50 }, () => subscribeOverSse(leave.signal)))))
    await expect.poll(open).toBe(1_000)
    expect(responses.map(({ status }) => status)).toEqual(Array(500).fill(200))

    leave.abort()
    // Half of them say so, half of them are just gone.
    for (const [i, socket] of sockets.entries())
      if (i % 2 === 0) socket.terminate()
      else for (let id = 0; id < 50; id += 1) socket.send({ type: 'complete', id: `${id}` })
    await expect.poll(open, { interval: 20 }).toBe(0)
    for (const socket of sockets) socket.terminate()
  })

  test('a connection has a limit of subscriptions, and the refusal names it', async () => {
    const socket = await openSocket(client)
    for (let i = 0; i < 51; i += 1) socket.send({ type: 'subscribe', id: `${i}`, payload: { query: NEVER } })
    const refused = await socket.next((message) => message.id === '50')
    expect(JSON.stringify(refused.payload)).toContain('TOO_MANY_SUBSCRIPTIONS')
    expect(JSON.stringify(refused.payload)).toContain('50')
    socket.terminate()
    await expect.poll(open).toBe(0)
  })

  test('a key has a limit over all its connections, and the refusal names its setting', async () => {
    const own = await startTestGateway(database, undefined, {
      environment: { DAYBOOK_SUBSCRIPTIONS_PER_KEY: '3' },
    })
    client = await own.newClient()
    const leave = new AbortController()
    const responses = [1, 2, 3].map(() => subscribeOverSse(leave.signal))
    await Promise.all(responses)
    const refused = await (await subscribeOverSse(leave.signal)).text()
    expect(refused).toContain('TOO_MANY_SUBSCRIPTIONS')
    expect(refused).toContain('DAYBOOK_SUBSCRIPTIONS_PER_KEY')
    leave.abort()
    await own.stop()
  })

  test('a bad operation ends only itself, and the others on its socket go on', async () => {
    const socket = await openSocket(client)
    socket.send({
      type: 'subscribe',
      id: 'good',
      payload: { query: 'subscription { events(after: 0) { sequence } }' },
    })
    const bad: readonly [string, object][] = [
      ['syntax', { query: 'subscription {' }],
      ['tokens', { query: `{ ${'a '.repeat(5_000)} }` }],
      ['unknown', { query: '{ nothing }' }],
      ['no-query', {}],
      ['variables', { query: '{ __typename }', variables: 3 }],
      ['negative', { query: 'subscription { events(after: -1) { sequence } }' }],
      ['no-operation', { query: 'query A { __typename } query B { __typename }', operationName: 'C' }],
    ]
    for (const [id, payload] of bad) {
      socket.send({ type: 'subscribe', id, payload })
      const answer = await socket.next((message) => message.id === id)
      expect([id, JSON.stringify(answer.payload)]).toEqual([id, expect.stringContaining('message')])
    }
    socket.sendText(
      '{"type":"subscribe","id":"rounded","payload":{"query":"{ __typename }","variables":{"n":9007199254740993}}}',
    )
    const rounded = await socket.next((message) => message.id === 'rounded')
    expect(JSON.stringify(rounded.payload)).toContain('holds the number 9007199254740993')
    await client.data('mutation { remember(input: { content: { note: { text: "n" } } }) { __typename } }')
    const event = await socket.next((message) => message.id === 'good')
    expect(event.payload).toEqual({ data: { events: { sequence: 1 } } })
    socket.terminate()
  })

  test.each([
    ['no JSON', '{'],
    ['an unknown type', '{"type":"shout"}'],
    ['no id', '{"type":"subscribe","payload":{}}'],
  ])('a message that belongs to no operation closes its socket as the protocol says: %s', async (_, text) => {
    const socket = await openSocket(client)
    socket.sendText(text)
    expect(await socket.closed).toBe(4400)
  })

  test('a subscription waits for a database that is unavailable', async () => {
    const query = 'mutation { remember(input: { content: { note: { text: "n" } } }) { __typename } }'
    await client.data(query)
    const socket = await openSocket(client)
    // The key is known for 2 s, which do not pass here, so the subscription comes as far as the journal.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    const bringBack = await database.outage()
    const events = 'subscription { events(after: 0) { sequence } }'
    socket.send({ type: 'subscribe', id: 'all', payload: { query: events } })
    // A later request that fails shows that the subscription's own first read has failed before.
    socket.send({ type: 'subscribe', id: 'look', payload: { query: '{ journal(after: 0) { sequence } }' } })
    await socket.next(({ id }) => id === 'look')
    await bringBack()
    const first = await socket.next(({ id }) => id === 'all')
    clock.mockRestore()
    expect(first.payload).toEqual({ data: { events: { sequence: 1 } } })
    socket.terminate()
  })

  test('a key that is revoked writes no more over an open WebSocket, and hears no more', async () => {
    const socket = await openSocket(client)
    const leave = new AbortController()
    const overSse = (await subscribeOverSse(leave.signal)).text()
    const remember = (id: string) => {
      const query = 'mutation { remember(input: { content: { note: { text: "n" } } }) { __typename } }'
      socket.send({ type: 'subscribe', id, payload: { query } })
      return socket.next((message) => message.id === id)
    }
    socket.send({ type: 'subscribe', id: 'all', payload: { query: NEVER } })
    expect((await remember('before')).payload).toEqual({ data: { remember: { __typename: 'Remembered' } } })

    await endKey('revoked_at')
    const ended = await socket.next((message) => message.id === 'all' && message.type === 'error')
    expect(JSON.stringify(ended.payload)).toContain('UNAUTHENTICATED')
    // It is closed half a second later.
    expect(JSON.stringify((await remember('after')).payload)).toContain('UNAUTHENTICATED')
    expect(await overSse).toContain('UNAUTHENTICATED')
    expect((await client.send('{ __typename }')).status).toBe(401)
    expect(await open()).toBe(0)
    socket.terminate()
  })

  test('a key opens nothing from its expiry on', async () => {
    await endKey('expires_at')
    expect((await client.send('{ __typename }')).status).toBe(401)
  })
})
