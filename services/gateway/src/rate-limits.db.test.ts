import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { parse } from 'graphql'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { createKeyBudget } from './http/key-budget.ts'
import { costOfOperation } from './http/request-limits.ts'
import { schema } from './schema/index.ts'
import { openSocket } from './testing/raw-socket.ts'
import { startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

const [anyDatabase] = TEST_DATABASES
const SEARCH = '{ search(query: "x") { sequence } }'
const MANY = 'mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { __typename } }'
const notes = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ content: { note: { text: `note ${index}` } } }))

describe('the budget of a key', () => {
  let database: TestDatabase
  let running: TestGateway
  beforeAll(async () => {
    if (anyDatabase === undefined) throw new Error('there is no database to test on')
    database = await anyDatabase.start()
    // 13 searches at most, and one more every 15 s, which do not pass here.
    vi.useFakeTimers({ toFake: ['performance'] })
    running = await startTestGateway(database, null, {
      environment: { DAYBOOK_COST_PER_SECOND: '100', DAYBOOK_COST_SAVED: '20100' },
    })
  })
  afterAll(async () => {
    vi.useRealTimers()
    await running?.stop()
    await database?.stop()
  })

  const post = (client: TestClient, query: string, variables = {}, accept = 'application/json') =>
    fetch(`${client.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.key}`, 'content-type': 'application/json', accept },
      body: JSON.stringify({ query, variables }),
    })
  /** How many of these requests are taken before one is refused; at most 500. */
  const takenOf = async (client: TestClient, query: string): Promise<number> => {
    for (let taken = 0; taken < 500; taken += 1) {
      const response = await post(client, query)
      await response.arrayBuffer()
      if (response.status === 429) return taken
    }
    return 500
  }

  test('is spent by the cost of queries: 12 searches, or some 300 small queries', async () => {
    const [first, second] = [await running.newClient(), await running.newClient()]
    expect(await takenOf(first, SEARCH)).toBeOneOf([12, 13])
    const small = await takenOf(second, '{ projections { name } }')
    expect(small).toBeGreaterThan(200)
    expect(small).toBeLessThan(500)
  })

  test.each(['application/json', 'application/graphql-response+json'])(
    'beyond it a request gets 429 with Retry-After, as %s, and says which limit',
    async (accept) => {
      const client = await running.newClient()
      await takenOf(client, SEARCH)
      const response = await post(client, SEARCH, {}, accept)
      expect(response.status).toBe(429)
      const seconds = Number(response.headers.get('retry-after'))
      expect(seconds).toBeGreaterThan(0)
      expect(seconds).toBeLessThan(20)
      expect(await response.json()).toMatchObject({
        errors: [
          {
            message: expect.stringMatching(/DAYBOOK_COST_PER_SECOND.*Send it again in \d+ s/u),
            extensions: { code: 'RATE_LIMITED', retryable: true, retryAfter: seconds },
          },
        ],
      })
    },
  )

  test('of one key is not that of another', async () => {
    const [spent, other] = [await running.newClient(), await running.newClient()]
    await takenOf(spent, SEARCH)
    expect((await post(other, SEARCH)).status).toBe(200)
  })

  test('cannot be spared by an operation that hides behind a cheap one, or by many at once', async () => {
    const client = await running.newClient()
    const query = `query A { __typename } query B ${SEARCH}`
    const body = JSON.stringify({ query, operationName: 'B' })
    const headers = { authorization: `Bearer ${client.key}`, 'content-type': 'application/json' }
    const answers = await Promise.all(
      Array.from({ length: 40 }, () => fetch(`${client.url}/graphql`, { method: 'POST', headers, body })),
    )
    expect(answers.filter(({ status }) => status === 200).length).toBeLessThan(14)
    expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThan(25)
  })

  test('is not spent by what is refused: a mutation beyond it writes nothing', async () => {
    const client = await running.newClient()
    await takenOf(client, SEARCH)
    expect((await post(client, MANY, { inputs: notes(500) })).status).toBe(429)
    const events = await database.db
      .selectFrom('events')
      .select('sequence')
      .where('project_id', '=', client.projectId)
      .execute()
    expect(events).toEqual([])
  })

  test('counts for WebSockets and subscriptions too', async () => {
    const client = await running.newClient()
    const socket = await openSocket(client)
    const codes: unknown[] = []
    for (let index = 0; index < 20; index += 1) {
      const id = String(index)
      socket.send({ id, type: 'subscribe', payload: { query: SEARCH } })
      const { payload } = await socket.next((message) => message.id === id && message.type !== 'complete')
      const { errors } = (Array.isArray(payload) ? { errors: payload } : payload) as {
        errors?: { extensions: { code: string; http?: unknown } }[]
      }
      expect(errors?.[0]?.extensions.http).toBeUndefined()
      codes.push(errors?.[0]?.extensions.code)
    }
    expect(codes.indexOf('RATE_LIMITED')).toBeGreaterThan(10)
    expect(codes.lastIndexOf('RATE_LIMITED')).toBe(19)
    const asked = 'subscription { ask(question: "what?") { __typename } }'
    socket.send({ id: 'ask', type: 'subscribe', payload: { query: asked } })
    const { payload } = await socket.next(({ id }) => id === 'ask')
    expect(JSON.stringify(payload)).toContain('RATE_LIMITED')
    socket.terminate()
  })

  test('counts for exports, which begin only if there is enough', async () => {
    const client = await running.newClient(true)
    const get = () =>
      fetch(`${client.url}/journal/export?project=${client.projectId}`, {
        headers: { authorization: `Bearer ${client.key}` },
      })
    expect((await get()).status).toBe(200)
    const second = await get()
    expect(second.status).toBe(429)
    expect(Number(second.headers.get('retry-after'))).toBeGreaterThan(100)
  })

  test('by default lets a busy import and a search beside it through', async () => {
    const usual = await startTestGateway(database, null)
    try {
      const client = await usual.newClient()
      for (let batch = 0; batch < 6; batch += 1) {
        const answers = await Promise.all([
          post(usual.client(client), MANY, { inputs: notes(500) }),
          post(usual.client(client), SEARCH),
        ])
        expect(answers.map(({ status }) => status)).toEqual([200, 200])
      }
    } finally {
      await usual.stop()
    }
  })
})

describe('a bucket', () => {
  test('fills up with time, to its limit and not beyond', () => {
    let now = 0
    const budget = createKeyBudget({ costPerSecond: 10, costSaved: 100 }, () => now)
    budget.spend('a', 100)
    expect(() => budget.spend('a', 25)).toThrow(
      expect.objectContaining({ code: 'RATE_LIMITED', retryAfter: 3 }),
    )
    now += 2_400
    expect(() => budget.spend('a', 25)).toThrow('DAYBOOK_COST_PER_SECOND')
    now += 100
    budget.spend('a', 25)
    now += 1_000_000
    budget.spend('a', 100)
    expect(() => budget.spend('a', 1)).toThrow('DAYBOOK_COST_PER_SECOND')
    budget.spend('b', 100)
  })

  test('takes the cost of the operation that runs, with its variables, and nothing for what will not run', () => {
    const cost = (query: string, more = {}) => costOfOperation(schema, { document: parse(query), ...more })
    expect(cost(SEARCH)).toBeGreaterThan(1_500)
    expect(cost('{ __typename }')).toBeLessThan(10)
    expect(cost('{ __schema { types { name } } }')).toBeGreaterThanOrEqual(500)
    expect(cost(`query A { __typename } query B ${SEARCH}`, { operationName: 'B' })).toBe(cost(SEARCH))
    expect(cost(MANY, { variables: { inputs: notes(500) } })).toBeGreaterThanOrEqual(5_000)
    expect(cost(`query A { __typename } query B ${SEARCH}`)).toBe(0)
    expect(cost(MANY, { variables: {} })).toBe(0)
  })
})
