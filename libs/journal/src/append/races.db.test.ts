import { newId } from '@daybook/memory/id'
import { type Database, type DatabaseTransaction, openDatabase } from '@daybook/postgres/connect'
import { NATIVE_DATABASE, POSTGRES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { needing } from '@daybook/runtime/testing/needing'
import { sql } from 'kysely'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { readHead, readJournal } from '../read/read.ts'
import { note, revision } from '../testing/requests.ts'
import { commitBatch } from './commit-batch.ts'
import { appendOne, createJournalWriter } from './journal-writer.ts'

needing(POSTGRES).describe('two gateways', () => {
  const { start } = NATIVE_DATABASE
  let database: TestDatabase
  /** The application's role does not see which sessions wait. */
  let administrator: Database
  beforeAll(async () => {
    database = await start()
    administrator = openDatabase(database.address, { role: null })
  })
  afterAll(async () => {
    await administrator.destroy()
    await database.stop()
  })

  /** Resolves once so many sessions wait for a lock. */
  const untilWaiting = (count: number) =>
    vi.waitUntil(
      async () => {
        const { rows } = await sql<{ waiting: number }>`
        select count(*)::int as waiting from pg_stat_activity
        where datname = current_database() and wait_event_type = 'Lock'`.execute(administrator)
        return rows[0]?.waiting === count
      },
      { interval: 5 },
    )

  /** Holds the project's lock in a transaction that continues when told. */
  async function holdLock(projectId: string, before: (trx: DatabaseTransaction) => Promise<void>) {
    const trx = await database.db.startTransaction().execute()
    await sql`select from journal_heads where project_id = ${projectId} for update`.execute(trx)
    await before(trx)
    return trx
  }

  it('decide one after the other: the second waits, then sees what the first committed', async () => {
    const scope = await database.newProject()
    const { memory } = await appendOne(
      createJournalWriter(() => {}),
      scope,
      note('one'),
    )
    const { id } = memory.state
    // Both wait behind a lock that the test holds, so that neither has read anything yet.
    const held = await holdLock(scope.projectId, async () => {})
    const stale = (text: string) => commitBatch(scope, [revision(id, text, { expectedVersion: 1 })])
    const first = stale('first')
    await untilWaiting(1)
    const second = stale('second')
    await untilWaiting(2)
    await held.commit().execute()
    const [won, lost] = [await first, await second]
    expect(won.outcomes).toMatchObject([{ appended: { memory: { version: 2, sequence: 2 } } }])
    expect(lost.outcomes).toMatchObject([{ error: { code: 'VERSION_CONFLICT', currentVersion: 2 } }])
    expect(await readHead(scope)).toBe(2)
  })

  it('number their events one after the other', async () => {
    const scope = await database.newProject()
    const held = await holdLock(scope.projectId, async () => {})
    const batches = [commitBatch(scope, [note('a'), note('b')]), commitBatch(scope, [note('c'), note('d')])]
    await untilWaiting(2)
    await held.commit().execute()
    const sequences = (await Promise.all(batches)).map(({ events }) => events.map((event) => event.sequence))
    expect(sequences.toSorted((a, b) => (a[0] ?? 0) - (b[0] ?? 0))).toEqual([
      [1, 2],
      [3, 4],
    ])
  })

  it('leave no hole where a transaction that had its sequences is rolled back', async () => {
    const scope = await database.newProject()
    const held = await holdLock(scope.projectId, async (trx) => {
      await sql`
          insert into events (project_id, sequence, event_id, memory_id, version, type, schema_version, data, recorded_at,
            data_salt, data_hash, hash)
          values (${scope.projectId}, 1, ${newId()}, ${newId()}, 1, 'MemoryRemembered', 1, '{}', now(), '0123456789abcdef', '', '')`.execute(
        trx,
      )
      await sql`update journal_heads set sequence = 1 where project_id = ${scope.projectId}`.execute(trx)
    })
    const after = commitBatch(scope, [note('a')])
    await untilWaiting(1)
    await held.rollback().execute()
    expect((await after).events.map((event) => event.sequence)).toEqual([1])
  })

  it('do not wait for each other in different projects', async () => {
    const [one, other] = [await database.newProject(), await database.newProject()]
    const held = await holdLock(one.projectId, async () => {})
    await commitBatch(other, [note('a')])
    expect(await readHead(other)).toBe(1)
    await held.commit().execute()
  })

  it('keep a reader from nothing while they hold the lock', async () => {
    const scope = await database.newProject()
    await commitBatch(scope, [note('a')])
    const held = await holdLock(scope.projectId, async () => {})
    expect(await readJournal(scope, { after: 0, limit: 10 })).toHaveLength(1)
    await held.commit().execute()
  })

  it('race with many stale revisions, of which exactly one wins each version', async () => {
    const scope = await database.newProject()
    const pools = [openDatabase(database.address), openDatabase(database.address)]
    const writers = pools.map((db) => ({ scope: { ...scope, db }, writer: createJournalWriter(() => {}) }))
    const { memory } = await appendOne(
      createJournalWriter(() => {}),
      scope,
      note('0'),
    )
    const { id } = memory.state
    for (let expectedVersion = 1; expectedVersion <= 10; expectedVersion += 1) {
      const results = await Promise.allSettled(
        writers.flatMap(({ scope: own, writer }, index) =>
          [1, 2, 3].map((lane) =>
            appendOne(writer, own, revision(id, `${expectedVersion} ${index} ${lane}`, { expectedVersion })),
          ),
        ),
      )
      expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
    }
    expect(await readHead(scope)).toBe(11)
    await Promise.all(pools.map((db) => db.destroy()))
  })
})
