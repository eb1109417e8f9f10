import { rowsWith } from '@daybook/postgres/testing/rows-with'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { finishOperation, leaseOperation } from './lease.ts'
import { cancelOperation, listUntaken } from './read.ts'
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
    const first = await ask('pgvector')
    // The embedded database's clock has whole milliseconds.
    await pause(2)
    const second = await ask('typesense')
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

describe.each(TEST_DATABASES)('an undo that has ended, on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('keeps nothing of what it selected, which may be erased later', async () => {
    const { db } = database
    const marker = 'zqselectedx'
    const ask = () =>
      requestOperation(db, {
        type: 'undo',
        projection: null,
        options: {
          projectId: '00000000-0000-7000-8000-000000000000',
          filter: { context: marker, labelsAny: [marker] },
          actor: marker,
          correlationId: marker,
          writer: { keys: [], agent: marker },
          since: '2026-01-01T00:00:00.000Z',
          after: 0,
          upTo: 1,
        },
        requestedBy: null,
      })
    const owner = { name: 'a process', leaseMs: HOUR }
    const finished = await ask()
    await leaseOperation(db, owner, [])
    expect(await rowsWith(database, marker)).toHaveLength(1)
    const result = { undone: 0, unchanged: 0, refused: 0, refusals: [] }
    await finishOperation(db, owner, finished.id, { status: 'succeeded', result })
    await cancelOperation(db, (await ask()).id)
    expect(await rowsWith(database, marker)).toEqual([])
  })
})
