import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { finishOperation, leaseOperation } from './lease.ts'
import { listUntaken } from './read.ts'
import { requestOperation } from './request.ts'

/** In milliseconds: longer than a test may take. */
const HOUR = 3_600_000

describe.each(TEST_DATABASES)('operations that nobody works on, on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('are the queued ones while nobody is at work, and those whose process has died', async () => {
    const { db } = database
    const ask = (projection: string) =>
      requestOperation(db, { type: 'backfill', projection, options: { projectId: null }, requestedBy: null })
    const untaken = async (waitedMs = 0) => (await listUntaken(db, waitedMs)).map(({ id }) => id)
    const [first, second] = [await ask('pgvector'), await ask('typesense')]
    expect(await untaken(HOUR)).toEqual([])
    expect(await untaken()).toEqual([first.id, second.id])

    const owner = { name: 'a process', leaseMs: HOUR / 2 }
    expect(await leaseOperation(db, owner, ['pgvector'])).toMatchObject({ operation: { id: first.id } })
    expect(await untaken()).toEqual([])

    await sql`update operations set leased_until = clock_timestamp() - interval '1 second' where id = ${first.id}`.execute(
      db,
    )
    expect(await untaken()).toEqual([first.id, second.id])
    expect(await untaken(HOUR)).toEqual([])

    await leaseOperation(db, owner, ['pgvector'])
    await finishOperation(db, owner, first.id, {
      status: 'succeeded',
      result: { done: 0, skipped: 0, failed: 0 },
    })
    expect(await untaken()).toEqual([second.id])
  })
})
