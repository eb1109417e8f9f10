import { contentHash } from '@daybook/memory/content'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readQueueState } from './queue-worker.ts'
import { leaseTexts, queueTexts, releaseText, storeVectors } from './store.ts'

const queued = (text: string) => ({ hash: contentHash(text), text })

describe.each(TEST_DATABASES)('the state of the embedding queue on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('tells what waits, what somebody is at, and what failed and why', async () => {
    const { db } = database
    expect(await readQueueState(db)).toEqual({ queued: 0, failed: 0, leased: 0, failure: null })
    const { projectId } = await database.newProject()
    await db
      .transaction()
      .execute((trx) =>
        queueTexts(trx, { projectId, modelId: 'model' }, ['one', 'two', 'three', 'four'].map(queued)),
      )
    const taken = await leaseTexts(db, 'model', { limit: 3 })
    expect(await readQueueState(db)).toEqual({ queued: 4, failed: 0, leased: 3, failure: null })
    await storeVectors(db, 'model', [{ ...taken[0]!, chunks: [] }])
    await releaseText(db, 'model', taken[1]!, new Error('too strange'))
    expect(await readQueueState(db)).toEqual({ queued: 3, failed: 1, leased: 1, failure: 'too strange' })
  })
})
