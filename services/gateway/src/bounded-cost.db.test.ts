import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { JOURNAL_BYTES } from './journal-page.ts'
import { startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

const aliases = (count: number, field: string) =>
  `{ ${Array.from({ length: count }, (_, i) => `a${i}: ${field}`).join(' ')} }`

const MANY = `mutation ($inputs: [RememberInput!]!) { rememberMany(inputs: $inputs) { __typename } }`

describe.each(SERVICE_DATABASES)('what requests may cost, on $name', ({ start }) => {
  let database: TestDatabase
  let running: TestGateway
  let client: TestClient

  beforeAll(async () => {
    database = await start()
    running = await startTestGateway(database, null)
    client = await running.newClient()
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })

  const refusal = async (query: string, variables: object = {}) =>
    (await client.send(query, variables)).body.errors?.[0]

  test.each([
    ['searches', 'search(query: "x") { sequence }'],
    ['recalls', 'recall(key: "x") { sequence }'],
    ['pops', 'pop(name: "x") { sequence }'],
  ])('28 aliased %s are refused, naming the limit, and 10 are answered', async (_, field) => {
    expect(await refusal(aliases(28, field))).toMatchObject({
      message: expect.stringMatching(/too costly: \d+ where the limit is 20000/u),
      extensions: { code: 'QUERY_TOO_COSTLY' },
    })
    expect(await refusal(aliases(10, field))).toBeUndefined()
  })

  test('rememberMany of 500 is accepted, and costs as much as its inputs', async () => {
    const inputs = Array.from({ length: 500 }, (_, i) => ({ content: { note: { text: `n ${i}` } } }))
    expect((await client.data(MANY, { inputs }))['rememberMany']).toHaveLength(500)
    const twice = MANY.replace(/rememberMany.*\}/u, (field) =>
      [1, 2, 3, 4]
        .map((i) => `a${i}: ${field.slice(0, -2)}`)
        .join(' ')
        .concat(' }'),
    )
    expect(await refusal(twice, { inputs })).toMatchObject({ extensions: { code: 'QUERY_TOO_COSTLY' } })
  })

  test('a journal page ends at 4 MiB, and reading on from there misses nothing', async () => {
    const own = await running.newClient()
    const text = 'word '.repeat(12_000)
    for (let i = 0; i < 80; i += 1)
      await own.data(
        'mutation ($t: String!) { remember(input: { content: { note: { text: $t } } }) { __typename } }',
        {
          t: `${i} ${text}`,
        },
      )
    const seen: number[] = []
    const pages: number[] = []
    for (let after = 0; ; after = seen.at(-1) ?? 0) {
      const query = 'query ($after: Int) { journal(after: $after, first: 1000) { sequence } }'
      const page = (await own.data(query, { after }))['journal'] as { sequence: number }[]
      if (page.length === 0) break
      pages.push(page.length)
      seen.push(...page.map(({ sequence }) => sequence))
    }
    expect(seen).toEqual(Array.from({ length: 80 }, (_, i) => i + 1))
    expect(pages[0]).toBeGreaterThan(1)
    expect(pages.length).toBeGreaterThan(1)
    expect((pages[0] ?? 0) * text.length).toBeLessThan(JOURNAL_BYTES + 2 * text.length)
    const { body } = await own.send(aliases(4, 'journal(first: 300) { sequence }'))
    expect(body.errors?.map(({ extensions }) => extensions?.['code'])).toContain('RESPONSE_TOO_LARGE')
  })

  test('a request that takes longer than its deadline is told so, and keeps its turn', async () => {
    const own = await startTestGateway(database, null, {
      environment: { DAYBOOK_REQUEST_DEADLINE: '2s', DAYBOOK_REQUESTS_PER_KEY: '1' },
    })
    const [its, others] = [await own.newClient(), await own.newClient()]
    // Cache the keys first, for good: looking them up later would wait for the database too.
    const clock = vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    for (const one of [its, others]) await one.data('{ __typename }')
    // It waits for its database: an open transaction of the test holds the project's lock.
    let release = () => {}
    const released = new Promise<void>((resolve) => {
      release = resolve
    })
    let locked = () => {}
    const isLocked = new Promise<void>((resolve) => {
      locked = resolve
    })
    const holding = database.db.transaction().execute(async (trx) => {
      await trx
        .selectFrom('journal_heads')
        .select('sequence')
        .where('project_id', '=', its.projectId)
        .forUpdate()
        .execute()
      locked()
      await released
    })
    await isLocked
    const late = await its.send(
      'mutation { remember(input: { content: { note: { text: "late" } } }) { __typename } }',
    )
    expect(late.body.errors?.[0]).toMatchObject({
      message: expect.stringMatching(/within 2 s.*DAYBOOK_REQUEST_DEADLINE.*look before you repeat/u),
      extensions: { code: 'DEADLINE', retryable: false },
    })
    let hasTurn = false
    const next = its.send('{ __typename }').finally(() => {
      hasTurn = true
    })
    // Requests of other keys come and go meanwhile.
    for (let times = 0; times < 5; times += 1) await others.send('{ __typename }')
    expect(hasTurn).toBe(false)
    release()
    await holding
    expect((await next).body.data).toEqual({ __typename: 'Query' })
    clock.mockRestore()
    await own.stop()
  })
})
