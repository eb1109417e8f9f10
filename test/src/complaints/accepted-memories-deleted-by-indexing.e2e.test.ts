import { createNativeDatabase, type NativeDatabase, POSTGRES } from '@daybook/postgres/testing/test-database'
import { needing } from '@daybook/runtime/testing/needing'
import { sql } from 'kysely'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDaemon, type TestDaemon } from '../support/daemon.ts'
import { dataOf } from '../support/graphql.ts'
import { type Complained, PLACES, startComplained } from './support/complained.ts'
import { type Check, HEALED, newUser, REPORTED, type User } from './support/user.ts'

/**
 * Accepted memories are gone because a job that maintains the index deleted them. A clean-up mistook memories
 * without a back link for orphans (MinLL/SkyrimNet-GamePlugin#487). Adding the same fact again deleted the
 * first (mem0ai/mem0#1674). Background curation left no trace of what it had removed
 * (nowledge-co/nowledge-mem#81).
 *
 * Here the journal is the truth, and an index that lost rows gets them back from it.
 */
describe.each(PLACES)('accepted memories deleted by indexing, on $name', (place) => {
  const { database, typesense, projection, engine } = place
  let daybook: Complained
  let user: User
  beforeAll(async () => {
    daybook = await startComplained(database, { typesense })
    user = await newUser(daybook.gateways[0]!)
  })
  afterAll(() => daybook?.stop())

  const find = (query: string) => user.find(query, { engine })

  /** Takes memories out of the index as a clean-up would, behind everybody's back. */
  async function lose(memoryIds: readonly string[]) {
    if (daybook.typesense !== null) {
      const filter = `memory_id:=[${memoryIds.join(',')}]`
      await daybook.typesense.request((server) =>
        server.collections(daybook.collection).documents().delete({ filter_by: filter }),
      )
      return
    }
    await daybook.harm(async (trx) => {
      for (const table of ['memories', 'memory_versions', 'vectors'])
        await sql`delete from ${sql.table(`pgvector_1.${table}`)} where memory_id = any(${memoryIds}::uuid[])`.execute(
          trx,
        )
    })
  }

  it('some of them: reported with their number, and rewritten', async () => {
    const memories = await user.remember(Array.from({ length: 30 }, (_, n) => `accepted treaty number ${n}`))
    await user.settled()
    expect((await find('treaty')).texts).toHaveLength(30)
    await lose(memories.slice(10, 15).map(({ memoryId }) => memoryId))
    await expect
      .poll(() => user.check('self-check'), REPORTED)
      .toMatchObject({
        status: 'WARNING',
        message: expect.stringMatching(new RegExp(`^5 memories of ${projection} differed`, 'u')),
      })
    await expect.poll(async () => (await find('treaty')).texts.length, HEALED).toBe(30)
    await expect.poll(() => user.metric('daybook_self_check_differed'), REPORTED).toBe(5)
    await user.settled()
    expect(await user.verify(projection)).toBe(true)
  })

  it('all of them, of a project larger than a look: the rest is gone through without a rest', async () => {
    const other = await newUser(daybook.gateways[0]!)
    const memories = await other.remember(
      Array.from({ length: 120 }, (_, n) => `archived ledger number ${n}`),
    )
    await other.settled()
    const before = await user.metric('daybook_self_check_differed')
    await lose(memories.map(({ memoryId }) => memoryId))
    await expect.poll(async () => (await other.check('self-check')).status, REPORTED).toBe('WARNING')
    await expect
      .poll(async () => (await user.metric('daybook_self_check_differed')) - before, HEALED)
      // The statistics over all of them may be found wrong besides, at the end of the walk.
      .toBeGreaterThanOrEqual(120)
    await other.settled()
    expect((await other.find('ledger', { engine })).texts).toHaveLength(100)
    expect(await other.verify(projection)).toBe(true)
  })
})

/** The settings that users have, in a process of its own, which is killed in between. */
needing(POSTGRES).describe('accepted memories deleted by indexing, in a daemon as users start it', () => {
  let database: NativeDatabase
  let daemon: TestDaemon
  beforeAll(async () => {
    database = await createNativeDatabase()
    daemon = createTestDaemon(undefined, {
      environment: { DATABASE_URL: database.url, DAYBOOK_SELF_CHECK: '' },
    })
    await daemon.start()
  })
  afterAll(async () => {
    await daemon?.remove()
    await database?.drop()
  })

  const ask = async <Data>(query: string) => dataOf(await daemon.graphql<Data>({ query }))
  const found = async () =>
    (await ask<{ search: { hits: unknown[] } }>('{ search(query: "heron", limit: 20) { hits { score } } }'))
      .search.hits.length

  it('reported within 10 s, and healed, though the daemon is killed meanwhile', async () => {
    const inputs = Array.from(
      { length: 12 },
      (_, n) => `{ content: { note: { text: "a heron, seen ${n} times" } } }`,
    )
    await ask(`mutation { rememberMany(inputs: [${inputs.join()}]) { __typename } }`)
    await expect.poll(found, HEALED).toBe(12)
    await daemon.kill()
    const owner = new Client({ connectionString: database.url })
    await owner.connect()
    await owner.query('delete from pgvector_1.memories where number > 4')
    await owner.end()
    await daemon.start()
    await expect
      .poll(async () => {
        const { checks } = await ask<{ checks: Check[] }>('{ checks { name status message } }')
        return checks.find(({ name }) => name === 'self-check')
      }, REPORTED)
      .toMatchObject({
        status: 'WARNING',
        message: expect.stringMatching(/^8 memories of pgvector differed/u),
      })
    await expect.poll(found, HEALED).toBe(12)
  })
})
