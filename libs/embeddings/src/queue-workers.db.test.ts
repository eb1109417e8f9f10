import { contentHash } from '@daybook/memory/content'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { pause } from '@daybook/runtime/backoff'
import { silentLogger } from '@daybook/runtime/logger'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { EmbedderError } from './embedder.ts'
import { fixedEmbedders } from './embedders.ts'
import { createHashEmbedder } from './hash-embedder.ts'
import { readQueueState } from './queue-worker.ts'
import { createQueueWorkers } from './queue-workers.ts'
import { queueTexts } from './store.ts'

describe.each(TEST_DATABASES)('the queue workers on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  it('tell the others of their vectors even if one listener fails, and later tell that one again', async () => {
    const { db } = database
    const embedder = createHashEmbedder({ dimension: 8 })
    const workers = createQueueWorkers({
      db,
      embedders: fixedEmbedders([embedder]),
      logger: silentLogger,
      pollMs: 20,
    })
    const heard: string[] = []
    const told: number[] = []
    let broken = true
    const first = workers.want(embedder.modelId, async (hashes) => {
      told.push(hashes.length)
      if (broken) throw new Error('relation "pgvector_1.memories" does not exist')
    })
    const second = workers.want(embedder.modelId, async (hashes) => {
      heard.push(...hashes.map((hash) => hash.toString('hex')))
    })
    const texts = ['one', 'two'].map((text) => ({ hash: contentHash(text), text }))
    const { projectId } = await database.newProject()
    await db.transaction().execute((trx) => queueTexts(trx, { projectId, modelId: embedder.modelId }, texts))
    first.wake()
    while (heard.length < 2) await pause(10)
    expect(heard.toSorted()).toEqual(texts.map(({ hash }) => hash.toString('hex')).toSorted())
    broken = false
    const before = told.length
    while (told.length === before) await pause(10)
    // It has missed some, so it must look for everything that it lacks.
    expect(told.at(-1)).toBe(0)
    await first.leave()
    await second.leave()
  })

  it('leave texts waiting while the embedder is down, and none counts as failed (capability 2)', async () => {
    const { db } = database
    let tries = 0
    let down = true
    const embedder = createHashEmbedder({
      dimension: 16,
      beforeEmbed: async () => {
        tries += 1
        if (down) throw new EmbedderError('PROVIDER_UNAVAILABLE', 'nobody listens there')
      },
    })
    const workers = createQueueWorkers({
      db,
      embedders: fixedEmbedders([embedder]),
      logger: silentLogger,
      pollMs: 20,
    })
    const stored: string[] = []
    const wanting = workers.want(embedder.modelId, async (hashes) => {
      stored.push(...hashes.map((hash) => hash.toString('hex')))
    })
    const { projectId } = await database.newProject()
    const texts = ['three', 'four'].map((text) => ({ hash: contentHash(text), text }))
    await db.transaction().execute((trx) => queueTexts(trx, { projectId, modelId: embedder.modelId }, texts))
    wanting.wake()
    // One try for both together, not one more for each.
    while (tries < 3) await pause(10)
    expect(await readQueueState(db)).toMatchObject({ queued: 2, failed: 0, failure: null })
    down = false
    while (stored.length < 2) await pause(10)
    expect(await readQueueState(db)).toMatchObject({ queued: 0 })
    await wanting.leave()
  })
})
