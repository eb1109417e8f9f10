import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { REMEMBER, startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

const changing = (name: 'forget' | 'restore') => `mutation ($id: ID!, $key: String) {
  ${name}(id: $id, idempotencyKey: $key) {
    ... on ${name === 'forget' ? 'Forgotten' : 'Restored'} { sequence duplicate memory { version forgottenAt } }
    ... on DaybookError { code }
  }
}`

describe.each(TEST_DATABASES)('what is repeated and what is parked, on $name', ({ start }) => {
  let database: TestDatabase
  let running: TestGateway
  let client: TestClient

  beforeAll(async () => {
    database = await start()
    running = await startTestGateway(database)
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })
  beforeEach(async () => {
    client = await running.newClient()
  })

  const remember = async (text: string) =>
    (await client.data(REMEMBER, { input: { content: { note: { text } } } }))['remember'] as {
      readonly sequence: number
      readonly memory: { readonly id: string }
    }
  const change = async (name: 'forget' | 'restore', id: string, key: string) =>
    (await client.data(changing(name), { id, key }))[name]

  test('B5: a forget and a restore that are repeated with their keys take effect once', async () => {
    const { memory } = await remember('to and fro')
    const forgotten = await change('forget', memory.id, 'f')
    expect(forgotten).toMatchObject({ sequence: 2, duplicate: false })
    const restored = await change('restore', memory.id, 'r')
    expect(restored).toMatchObject({ sequence: 3, duplicate: false, memory: { forgottenAt: null } })
    expect(await change('forget', memory.id, 'f')).toEqual({ ...forgotten, duplicate: true })
    expect(await change('restore', memory.id, 'r')).toEqual({ ...restored, duplicate: true })
    expect(await change('restore', memory.id, 'f')).toEqual({ code: 'IDEMPOTENCY_CONFLICT' })
    expect((await client.data('{ journal { sequence } }'))['journal']).toHaveLength(3)
  })

  test('B5: atLeast behind a parked event says so', async () => {
    const parked = await remember('parked words')
    const other = await remember('other words')
    const search = async (atLeast: number) => {
      const query =
        'query ($atLeast: Int) { search(query: "words", mode: KEYWORD, atLeast: $atLeast) { degraded } }'
      return ((await client.data(query, { atLeast }))['search'] as { degraded: string[] }).degraded
    }
    const memory = (id: string, atLeast: number) =>
      client.send('query ($id: ID!, $atLeast: Int) { memory(id: $id, atLeast: $atLeast) { id } }', {
        id,
        atLeast,
      })
    expect(await search(2)).toEqual([])
    await sql`
      insert into daybook.parked_events (projection, generation, project_id, sequence, memory_id, error, attempts)
      select 'pgvector', generation, ${client.projectId}, 1, ${parked.memory.id.split(':')[1]}, 'unreadable', 5
      from daybook.generations where projection = 'pgvector' and status = 'live'`.execute(database.db)

    expect(await search(2)).toEqual([
      expect.stringMatching(/the event 1 up to .* parked.*`daybook parked list`/u),
    ])
    const { body } = await memory(parked.memory.id, 2)
    expect(body.errors?.[0]).toMatchObject({
      message: expect.stringMatching(/the event 1 of this memory.*`daybook parked list`/u),
      extensions: { code: 'PARKED', retryable: false },
    })
    expect((await memory(other.memory.id, 2)).body.data?.['memory']).toEqual({ id: other.memory.id })
    expect((await memory(parked.memory.id, 0)).body.errors).toBeUndefined()
  })
})
