import { contentHash } from '@daybook/memory/content'
import { newId } from '@daybook/memory/id'
import { TEST_DATABASES, type TestDatabase } from '@daybook/postgres/testing/test-database'
import { silentLogger } from '@daybook/runtime/logger'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type ComingText, createEarlyEmbeddings } from './early-embeddings.ts'
import type { Embedder } from './embedder.ts'
import { createHashEmbedder } from './hash-embedder.ts'
import { startQueueWorker } from './queue-worker.ts'
import { queueTexts, readStoredVectors } from './store.ts'

const PROJECT = newId()
const coming = (text: string, projectId = PROJECT): ComingText => ({
  projectId,
  text,
  hash: contentHash(text),
})

/** An embedder that notes each text, and fails while it is told to. */
function watched() {
  const inner = createHashEmbedder({ dimension: 8 })
  const embedded: string[] = []
  const state = { failing: false }
  const embedder: Embedder = {
    ...inner,
    async embed(texts) {
      embedded.push(...texts)
      if (state.failing) throw new Error('the model is busy with something else')
      return inner.embed(texts)
    },
  }
  return { embedder, embedded, state }
}

describe('early embeddings', () => {
  it('give each result once, to the project that its text belongs to', async () => {
    const { embedder } = watched()
    const early = createEarlyEmbeddings(embedder)
    early.begin([coming('a text')])
    expect(early.take(coming('a text', newId()))).toBeUndefined()
    expect(await early.take(coming('a text'))).toMatchObject([{ start: 0, end: 6 }])
    expect(early.take(coming('a text'))).toBeUndefined()
  })

  it('leave a burst and long texts to the queue', () => {
    const { embedder } = watched()
    const early = createEarlyEmbeddings(embedder)
    const isBegun = (text: string) => early.take(coming(text)) !== undefined
    const long = 'x '.repeat(1_500)
    early.begin(['a', 'b', 'c', 'd', 'e'].map((text) => coming(text)))
    early.begin([coming(long)])
    expect(['a', 'b', 'c', 'd', 'e', long].map(isBegun)).not.toContain(true)
    for (const text of ['a', 'b', 'c', 'd', 'e']) early.begin([coming(text)])
    expect(['a', 'b', 'c', 'd', 'e'].map(isBegun)).toEqual([true, true, true, true, false])
  })
})

describe.each(TEST_DATABASES)('a queue worker that began early on $name', ({ start }) => {
  let database: TestDatabase
  beforeAll(async () => {
    database = await start()
  })
  afterAll(() => database?.stop())

  /** Begins these early, queues them and the others, and waits until all have vectors. */
  async function embed(early: readonly string[], others: readonly string[], failing = false) {
    const scope = await database.newProject()
    const { embedder, embedded, state } = watched()
    const worker = startQueueWorker({
      db: database.db,
      embedder,
      logger: silentLogger,
      onStored: async () => {},
      pollMs: 60_000,
    })
    state.failing = failing
    worker.soon(early.map((text) => coming(text, scope.projectId)))
    await vi.waitUntil(() => embedded.length === early.length)
    state.failing = false
    const texts = [...early, ...others].map((text) => ({ text, hash: contentHash(text) }))
    const key = { projectId: scope.projectId, modelId: embedder.modelId }
    await database.db.transaction().execute((trx) => queueTexts(trx, key, texts))
    worker.wake()
    const hashes = texts.map(({ hash }) => hash.toString('hex'))
    const stored = () => readStoredVectors(scope, embedder.modelId, hashes)
    await vi.waitUntil(async () => (await stored()).size === texts.length)
    await worker.stop()
    const [vectors, expected] = [await stored(), await embedder.embed(texts.map(({ text }) => text))]
    const same = hashes.map((hash, index) => {
      const [chunk] = vectors.get(hash) ?? []
      return chunk?.embedding.every((value, i) => Math.abs(value - (expected[index]?.vector[i] ?? 9)) < 1e-3)
    })
    expect(same).toEqual(texts.map(() => true))
    return embedded.slice(0, embedded.length - texts.length)
  }

  it('embeds no text twice, and gives each its own vector among others', async () => {
    expect((await embed(['early one', 'early two'], ['late one', 'late two'])).toSorted()).toEqual([
      'early one',
      'early two',
      'late one',
      'late two',
    ])
  })

  it('embeds again what failed early', async () => {
    expect(await embed(['fails at first'], ['late'], true)).toContain('late')
  })
})
