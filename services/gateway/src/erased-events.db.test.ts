import { eraseEvents } from '@daybook/journal/testing/erase'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

const FIELDS = 'sequence status type version changed memory { text }'
const REMEMBER = `mutation ($text: String!) { remember(input: { content: { note: { text: $text } } }) {
  ... on Remembered { memory { id } sequence } } }`
const REVISE = `mutation ($id: ID!, $text: String!) { revise(id: $id, input: { content: { note: { text: $text } } }) {
  __typename } }`

/** As all three ways tell of them. */
const erased = (sequence: number, type: string, version: number) => ({
  sequence,
  status: 'ERASED',
  type,
  version,
  changed: [],
  memory: null,
})
const readable = (sequence: number, type: string, version: number, text: string) => ({
  sequence,
  status: 'READABLE',
  type,
  version,
  changed: expect.arrayContaining(['content.text']),
  memory: { text },
})

describe.each(SERVICE_DATABASES)('erased events over GraphQL on $name', ({ start }) => {
  let database: TestDatabase
  let running: TestGateway
  let client: TestClient
  let id: string
  const events = [
    erased(1, 'MemoryRemembered', 1),
    erased(2, 'MemoryRevised', 2),
    readable(3, 'MemoryRevised', 3, 'third'),
    readable(4, 'MemoryRemembered', 1, 'other'),
  ]

  beforeAll(async () => {
    database = await start()
    running = await startTestGateway(database)
    client = await running.newClient()
    const { remember } = await client.data(REMEMBER, { text: 'first' })
    id = remember.memory.id
    for (const text of ['second', 'third']) await client.data(REVISE, { id, text })
    await client.data(REMEMBER, { text: 'other' })
    // The read model has them all before they go.
    await client.data('query ($id: ID!) { memory(id: $id, atLeast: 4) { id } }', { id })
    await eraseEvents(database, client.projectId, [1, 2])
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })

  test('the journal tells of them, without a memory', async () => {
    const { journal } = await client.data(`{ journal(first: 10) { ${FIELDS} } }`)
    expect(journal).toEqual(events)
  })

  test('a history tells of them, without a memory', async () => {
    const { memory } = await client.data(
      `query ($id: ID!) { memory(id: $id) { history(first: 10) { edges { node { ${FIELDS} } } } } }`,
      { id },
    )
    expect(memory.history.edges.map(({ node }: { node: unknown }) => node)).toEqual(events.slice(0, 3))
  })

  test('a subscription tells of them, without a memory, whatever its filter', async () => {
    const socket = createClient({
      url: `${client.url.replace('http', 'ws')}/graphql`,
      webSocketImpl: WebSocket,
      connectionParams: { Authorization: `Bearer ${client.key}` },
      retryAttempts: 0,
    })
    try {
      for (const [filter, heard] of [
        ['', events],
        [', filter: { kinds: [TODO] }', events.slice(0, 2)],
      ] as const) {
        const query = `subscription { events(after: 0${filter}) { ${FIELDS} } }`
        const told: unknown[] = []
        for await (const { data, errors } of socket.iterate<{ events: unknown }>({ query })) {
          expect(errors).toBeUndefined()
          told.push(data?.events)
          if (told.length === heard.length) break
        }
        expect(told).toEqual(heard)
      }
    } finally {
      await socket.dispose()
    }
  })
})
