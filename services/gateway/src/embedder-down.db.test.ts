import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { REMEMBER, startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

const SEARCH = `query ($query: String!, $atLeast: Int) {
  search(query: $query, atLeast: $atLeast) { matchType degraded hits { matchType memory { text } explanation { model } } }
}`

/** The promise: "embedder down — writes succeed; keyword results; the answer says vectors are missing". */
describe.each(SERVICE_DATABASES)('without vectors on $name', ({ start }) => {
  let database: TestDatabase
  let down = true
  let failing: TestGateway
  let client: TestClient

  beforeAll(async () => {
    database = await start()
    failing = await startTestGateway(
      database,
      createHashEmbedder({
        dimension: 64,
        beforeEmbed: async () => {
          if (down) throw new Error('the model is on fire')
        },
      }),
    )
    client = await failing.newClient()
  })
  afterAll(async () => {
    await failing?.stop()
    await database?.stop()
  })

  test('writes succeed, words are found, and the answer says what is missing', async () => {
    const { remember } = await client.data(REMEMBER, {
      input: { content: { note: { text: 'the quick brown fox' } } },
    })
    expect(remember.__typename).toBe('Remembered')
    const { search } = await client.data(SEARCH, { query: 'fox', atLeast: remember.sequence })
    expect(search).toEqual({
      matchType: 'KEYWORD',
      degraded: [expect.stringContaining('the model is on fire')],
      hits: [{ matchType: 'KEYWORD', memory: { text: 'the quick brown fox' }, explanation: { model: null } }],
    })
  })

  test('/ready and the checks of doctor name the same problem, and neither fails', async () => {
    const response = await fetch(`${client.url}/ready`)
    expect(response.status).toBe(200)
    const { degraded } = (await response.json()) as { degraded: string[] }
    const admin = await failing.newClient(true)
    const { checks } = await admin.data('{ checks { name status message advice } }')
    const check = checks.find(({ name }: { name: string }) => name === 'embedder')
    expect(check).toMatchObject({
      status: 'WARNING',
      message: 'test-hash/64 makes no vectors: the model is on fire',
    })
    expect(degraded).toEqual([`${check.message}. ${check.advice}`])
  })

  test('once it is back, vectors arrive by themselves and nothing is missing any more', async () => {
    down = false
    await expect
      .poll(
        async () =>
          (await client.data('{ projections { pendingEmbeddings } }'))['projections'][0].pendingEmbeddings,
      )
      .toBe(0)
    const { search } = await client.data(SEARCH, { query: 'brown fox' })
    expect(search).toMatchObject({ matchType: 'HYBRID', degraded: [], hits: [{ matchType: 'HYBRID' }] })
  })

  test('with no embedder configured it is the same, in other words', async () => {
    const none = await startTestGateway(database, null)
    try {
      const another = await none.newClient()
      const { remember } = await another.data(REMEMBER, {
        input: { content: { note: { text: 'a lazy dog' } } },
      })
      const { search } = await another.data(SEARCH, { query: 'dog', atLeast: remember.sequence })
      expect(search.degraded).toEqual([expect.stringContaining('DAYBOOK_EMBEDDER')])
      expect(search.hits).toHaveLength(1)
    } finally {
      await none.stop()
    }
  })
})
