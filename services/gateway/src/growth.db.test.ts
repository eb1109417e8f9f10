import { generationTables } from '@daybook/pgvector/generation-tables'
import { SERVICE_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startTestGateway, type TestClient, type TestGateway } from './testing/test-gateway.ts'

const REMEMBER = `mutation ($inputs: [RememberInput!]!) {
  rememberMany(inputs: $inputs) { ... on Remembered { sequence memory { id } } ... on DaybookError { message } } }`
const GROWTH = `query ($filter: MemoryFilter, $timeZone: String, $values: Int) {
  growth(filter: $filter, timeZone: $timeZone, values: $values) {
    unit starts memories remembered events kinds { value counts } contexts { value counts } } }`
const note = (text: string, more: object = {}) => ({ content: { note: { text } }, ...more })
const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)

/** A day in UTC. */
const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)

describe.each(SERVICE_DATABASES)('growth ($name)', ({ start }) => {
  let database: TestDatabase
  let running: TestGateway
  let client: TestClient
  beforeAll(async () => {
    database = await start()
    running = await startTestGateway(database, null)
  })
  afterAll(async () => {
    await running?.stop()
    await database?.stop()
  })
  beforeEach(async () => {
    client = await running.newClient()
  })
  const remember = async (inputs: readonly object[]): Promise<string[]> => {
    const { rememberMany } = await client.data(REMEMBER, { inputs })
    const written = rememberMany as { sequence: number; memory: { id: string } }[]
    await client.data('query ($at: Int) { search(query: "x", atLeast: $at) { degraded } }', {
      at: Math.max(...written.map(({ sequence }) => sequence)),
    })
    return written.map(({ memory }) => memory.id)
  }

  test('counts memories and events by kind and context, as the filter says', async () => {
    const begunOn = daysAgo(0)
    const [first] = await remember([
      note('one', { context: 'shop' }),
      note('two', { context: 'shop' }),
      note('three'),
      { content: { decision: { topic: 'a', decision: 'b' } }, context: 'office' },
    ])
    const { forget } = await client.data(
      'mutation ($id: ID!) { forget(id: $id) { ... on Forgotten { sequence } } }',
      { id: first },
    )
    await client.data('query ($at: Int) { search(query: "x", atLeast: $at) { degraded } }', {
      at: forget.sequence,
    })
    const { growth } = await client.data(GROWTH)
    expect(growth).toMatchObject({ unit: 'DAY', memories: 3 })
    expect([begunOn, new Date().toISOString().slice(0, 10)]).toEqual(
      expect.arrayContaining(growth.starts.slice(-1)),
    )
    expect(sum(growth.remembered)).toBe(3)
    // Also those of the forgotten one, and that it was forgotten.
    expect(sum(growth.events)).toBe(5)
    expect(growth.kinds.map(({ value }: { value: string }) => value)).toEqual(['NOTE', 'DECISION'])
    expect(growth.contexts).toEqual([
      expect.objectContaining({ value: 'office' }),
      expect.objectContaining({ value: 'shop' }),
      expect.objectContaining({ value: null }),
    ])
    const { growth: ofShop } = await client.data(GROWTH, { filter: { context: 'shop' } })
    expect(ofShop.memories).toBe(1)
    expect(sum(ofShop.events)).toBe(3)
    const { growth: few } = await client.data(GROWTH, { values: 1 })
    expect(few.kinds.map(({ value }: { value: string | null }) => value)).toEqual(['NOTE', null])
  })

  test('days are those of the time zone, and none is left out', async () => {
    const [id] = await remember([note('one'), note('two')])
    const uuid = (id as string).split(':')[1]
    const { growth: none } = await (await running.newClient()).data(GROWTH)
    expect(none).toMatchObject({ memories: 0, starts: [], remembered: [] })
    // 23:30 in UTC is the next day in Berlin. The unit is of the time from then to now.
    const [first = '', second = '', third = ''] = [30, 29, 28].map(daysAgo)
    await moveTo(uuid as string, `${first}T23:30:00Z`)
    const { growth: there } = await client.data(GROWTH, { timeZone: 'Europe/Berlin' })
    const { growth: here } = await client.data(GROWTH)
    expect([here.starts[0], there.starts[0]]).toEqual([first, second])
    expect(here.starts.slice(0, 3)).toEqual([first, second, third])
    expect(here.remembered).toHaveLength(here.starts.length)
    await moveTo(uuid as string, `${daysAgo(2_500)}T12:00:00Z`)
    const { growth: long } = await client.data(GROWTH)
    expect(long.unit).toBe('WEEK')
    expect(long.starts.length).toBeLessThan(450)
    await moveTo(uuid as string, '1970-01-15T12:00:00Z')
    const { growth: longer } = await client.data(GROWTH)
    expect(longer.unit).toBe('YEAR')
    expect(longer.starts[0]).toBe('1970-01-01')
    expect(sum(longer.remembered)).toBe(2)
  })

  test.each(['Nowhere/City', '+01:00', ''])('%j is no time zone', async (timeZone) => {
    const { body } = await client.send(GROWTH, { timeZone })
    expect(body.errors?.[0]).toMatchObject({
      message: expect.stringContaining('IANA name'),
      extensions: { code: 'VALIDATION', field: 'timeZone' },
    })
  })

  /** As if the memory had been remembered then. */
  async function moveTo(uuid: string, moment: string): Promise<void> {
    const { memories } = generationTables(1)
    await sql`update ${memories} set created_at = ${moment}::timestamptz where memory_id = ${uuid}::uuid`.execute(
      database.db,
    )
  }
})
