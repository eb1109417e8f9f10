import { SERVICE_DATABASES } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { REMEMBER, useTestGateway } from './testing/test-gateway.ts'

const changing = (name: 'forget' | 'restore') => `mutation ($id: ID!, $key: String) {
  ${name}(id: $id, idempotencyKey: $key) {
    ... on ${name === 'forget' ? 'Forgotten' : 'Restored'} { sequence duplicate memory { version forgottenAt } }
    ... on DaybookError { code }
  }
}`

describe.each(SERVICE_DATABASES)('what is repeated and what is parked, on $name', ({ start }) => {
  const suite = useTestGateway(start)

  const remember = async (text: string) =>
    (await suite.client.data(REMEMBER, { input: { content: { note: { text } } } }))['remember'] as {
      readonly sequence: number
      readonly memory: { readonly id: string }
    }
  const change = async (name: 'forget' | 'restore', id: string, key: string) =>
    (await suite.client.data(changing(name), { id, key }))[name]

  test('a forget and a restore that are repeated with their keys take effect once', async () => {
    const { memory } = await remember('to and fro')
    const forgotten = await change('forget', memory.id, 'f')
    expect(forgotten).toMatchObject({ sequence: 2, duplicate: false })
    const restored = await change('restore', memory.id, 'r')
    expect(restored).toMatchObject({ sequence: 3, duplicate: false, memory: { forgottenAt: null } })
    expect(await change('forget', memory.id, 'f')).toEqual({ ...forgotten, duplicate: true })
    expect(await change('restore', memory.id, 'r')).toEqual({ ...restored, duplicate: true })
    expect(await change('restore', memory.id, 'f')).toEqual({ code: 'IDEMPOTENCY_CONFLICT' })
    expect((await suite.client.data('{ journal { sequence } }'))['journal']).toHaveLength(3)
  })

  test('an answer with atLeast behind a parked event says so', async () => {
    const parked = await remember('parked words')
    const other = await remember('other words')
    const search = async (atLeast: number) => {
      const query =
        'query ($atLeast: Int) { search(query: "words", mode: KEYWORD, atLeast: $atLeast) { degraded } }'
      return ((await suite.client.data(query, { atLeast }))['search'] as { degraded: string[] }).degraded
    }
    const memory = (id: string, atLeast: number) =>
      suite.client.send('query ($id: ID!, $atLeast: Int) { memory(id: $id, atLeast: $atLeast) { id } }', {
        id,
        atLeast,
      })
    expect(await search(2)).toEqual([])
    await sql`
      insert into daybook.parked_events (projection, generation, project_id, sequence, memory_id, error, attempts)
      select 'pgvector', generation, ${suite.client.projectId}, 1, ${parked.memory.id.split(':')[1]}, 'unreadable', 5
      from daybook.generations where projection = 'pgvector' and status = 'live'`.execute(suite.database.db)

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
