import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { storedState, wholeState } from './generation-tables.ts'

const ID = '01a20fdf-4f16-74c6-8f64-1deb3034788e'

const USUAL = {
  id: ID,
  kind: 'note',
  content: { text: 'tea' },
  agent: null,
  labels: ['b', 'a'],
  categories: [],
  importance: 5,
  context: 'harbour',
  metadata: {},
  createdAt: '2026-01-03T08:26:00.000Z',
  updatedAt: '2026-01-03T08:26:00.000Z',
  occurredAt: '0099-12-31T23:59:59.999Z',
  expiresAt: null,
  forgottenAt: null,
}

describe.each(TEST_DATABASES)('the state of a row on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  /** What is stored of a state beside the columns of the usual one, and what is read of it. */
  async function stored(state: object): Promise<{ state: object; whole: object }> {
    const columns = {
      memory_id: sql`given.memory_id`,
      kind: sql`given.kind`,
      agent: sql`given.agent`,
      labels: sql`given.labels`,
      categories: sql`given.categories`,
      importance: sql`given.importance`,
      context: sql`given.context`,
      created_at: sql`given.created_at`,
      occurred_at: sql`given.occurred_at`,
      expires_at: sql`given.expires_at`,
    }
    const { rows } = await sql<{ state: object; whole: object }>`
      with given as (
        select ${ID}::uuid as memory_id, 'note'::text as kind, null::text as agent, '{b,a}'::text[] as labels,
          '{}'::text[] as categories, 5::smallint as importance, 'harbour'::text as context,
          ${USUAL.createdAt}::timestamptz as created_at, ${USUAL.occurredAt}::timestamptz as occurred_at,
          null::timestamptz as expires_at
      ), m as (select given.*, ${storedState(sql`${JSON.stringify(state)}::jsonb`, columns)} as state from given)
      select state, ${wholeState('m')} as whole from m`.execute(database.db)
    return rows[0]!
  }

  it('has only what the columns do not say', async () => {
    expect(await stored(USUAL)).toEqual({ state: { content: USUAL.content }, whole: USUAL })
    const writtenBy = { key: ID, agent: 'planner' }
    const part = { document: ID, number: 1, of: 2 }
    const more = { ...USUAL, metadata: { source: 'mail' }, forgottenAt: USUAL.createdAt, writtenBy, part }
    const { content, metadata, forgottenAt } = more
    expect(await stored(more)).toEqual({
      state: { content, metadata, forgottenAt, writtenBy, part },
      whole: more,
    })
  })

  it.each([
    ['a time to the microsecond', { createdAt: '2026-01-03T08:26:00.000001Z' }],
    ['a time of another zone', { occurredAt: '0100-01-01T00:59:59.999+01:00' }],
    ['a later change', { updatedAt: '2026-02-03T08:26:00.000Z' }],
    ['labels in another order', { labels: ['a', 'b'] }],
    ['another kind than the column', { kind: 'insight' }],
    ['a field that nobody knows', { mood: 'calm' }],
  ])('keeps %s as it is', async (_, fields) => {
    const state = { ...USUAL, ...fields }
    const { whole, state: kept } = await stored(state)
    expect(whole).toEqual(state)
    expect(kept).toEqual({ content: USUAL.content, ...fields })
  })

  it('is kept whole if a field that most have is missing, or the id is another one', async () => {
    const { categories: _, ...older } = USUAL
    for (const state of [older, { ...USUAL, id: ID.toUpperCase() }])
      expect(await stored(state)).toEqual({ state, whole: state })
  })
})
