import { expect, it } from 'vitest'
import { createInMemoryVectorStore } from './in-memory-store.ts'
import { openVectorStore } from './open-vector-store.ts'
import { describeVectorStore } from './vector-store.contract.ts'

describeVectorStore('memory', async (options) => createInMemoryVectorStore(options))

it('without the address of a database, a store is in memory (capability 20)', async () => {
  const store = await openVectorStore({ databaseUrl: '', dimension: 1 })
  await store.upsert([{ id: 'one', content: 'text', embedding: [1] }])
  expect(await store.search([2])).toMatchObject([{ id: 'one', score: 1 }])
  await store.close()
})

it('keeps what it was given, whatever its caller does with it later', async () => {
  const store = createInMemoryVectorStore({ dimension: 2 })
  const embedding = [1, 0]
  const metadata = { tags: ['a'] }
  await store.upsert([{ id: 'one', content: 'text', embedding, metadata }])
  embedding[0] = -1
  metadata.tags.push('b')
  const [found] = await store.search([1, 0])
  expect(found).toMatchObject({ score: 1, metadata: { tags: ['a'] } })
})
