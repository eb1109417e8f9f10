import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { VectorStore } from './vector-store.ts'

/** Pseudo-random vectors, the same ones in each run. */
function vectorOf(seed: number, dimension: number): number[] {
  let state = seed * 7_919 + 1
  return Array.from({ length: dimension }, () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return state / 0x3fffffff - 1
  })
}

const refused = (field: string) => ({ code: 'VALIDATION', field })

const idsOf = (found: readonly { readonly id: string }[]) => found.map(({ id }) => id)

/** What every {@link VectorStore} must do. @param start opens an empty store of that dimension */
export function describeVectorStore(
  name: string,
  start: (options: { readonly dimension: number }) => Promise<VectorStore>,
): void {
  describe(`${name} as a vector store (capability 18)`, () => {
    let store: VectorStore
    let plane: VectorStore
    beforeAll(async () => {
      store = await start({ dimension: 8 })
      plane = await start({ dimension: 2 })
    })
    afterAll(async () => {
      await store?.close()
      await plane?.close()
    })

    it('finds the nearest first, with its text, its metadata and the cosine', async () => {
      await plane.upsert([
        { id: 'east', content: 'to the east', embedding: [3, 0], metadata: { wind: { from: ['sea'] } } },
        { id: 'north', content: 'to the north', embedding: Float32Array.of(0, 1) },
        { id: 'west', content: 'to the west', embedding: [-2, 0] },
      ])
      const found = await plane.search([1, 1])
      expect(found.map(({ score }) => Number(score.toFixed(5)))).toEqual([0.70711, 0.70711, -0.70711])
      expect(found[0]).toEqual({
        id: 'east',
        content: 'to the east',
        metadata: { wind: { from: ['sea'] } },
        score: expect.any(Number),
      })
      expect(idsOf(found)).toEqual(['east', 'north', 'west'])
      expect(found[1]?.metadata).toEqual({})
    })

    it('replaces a document by its id, and takes the last of two', async () => {
      await plane.upsert([
        { id: 'north', content: 'first', embedding: [1, 0] },
        { id: 'north', content: 'second', embedding: [0, 2] },
      ])
      expect(await plane.search([0, 1], 1)).toMatchObject([{ id: 'north', content: 'second', score: 1 }])
      expect(await plane.search([0, 1])).toHaveLength(3)
    })

    it('deletes, also what is not there', async () => {
      await plane.delete(['east', 'nowhere'])
      await plane.delete([])
      expect(idsOf(await plane.search([1, 0]))).toEqual(['north', 'west'])
    })

    it('finds five unless more are asked for, and orders hundreds as the cosine does', async () => {
      expect(await store.search(vectorOf(1, 8))).toEqual([])
      const documents = Array.from({ length: 300 }, (_, i) => ({
        id: `document ${i}`,
        content: `text ${i}`,
        embedding: vectorOf(i, 8),
      }))
      await store.upsert(documents)
      const question = vectorOf(1_000, 8)
      const all = await store.search(question, 300)
      expect(all).toHaveLength(300)
      const exact = documents
        .map(({ id, embedding }) => {
          const dot = embedding.reduce((sum, value, i) => sum + value * question[i]!, 0)
          return { id, score: dot / Math.hypot(...embedding) / Math.hypot(...question) }
        })
        .toSorted((left, right) => right.score - left.score)
      for (const [i, { score }] of exact.entries()) expect(all[i]!.score).toBeCloseTo(score, 5)
      expect(idsOf(await store.search(question))).toEqual(idsOf(exact.slice(0, 5)))
    })

    it('refuses what it cannot hold or find, naming the field, and writes nothing of it', async () => {
      const fine = { id: 'fine', content: '', embedding: [1, 0] }
      await expect(plane.upsert([fine, { ...fine, embedding: [1] }])).rejects.toMatchObject(
        refused('documents.1.embedding'),
      )
      await expect(plane.upsert([{ ...fine, embedding: [0, 0] }])).rejects.toMatchObject(
        refused('documents.0.embedding'),
      )
      await expect(plane.upsert([{ ...fine, id: '' }])).rejects.toMatchObject(refused('documents.0.id'))
      await expect(plane.upsert([{ ...fine, content: 'a\u0000b' }])).rejects.toMatchObject(
        refused('documents.0.content'),
      )
      await expect(plane.search([1, Number.NaN])).rejects.toMatchObject(refused('embedding'))
      for (const topK of [0, 1.5, 1_001])
        await expect(plane.search([1, 0], topK)).rejects.toMatchObject(refused('topK'))
      await expect(start({ dimension: 2_001 })).rejects.toMatchObject(refused('dimension'))
      expect(idsOf(await plane.search([1, 0]))).not.toContain('fine')
    })

    it('takes any text for an id', async () => {
      const ids = [`'; drop table x; --`, 'naïve 🎉', 'a/b?c=d', ' ']
      await plane.upsert(ids.map((id) => ({ id, content: id, embedding: [1, 0.5] })))
      const found = await plane.search([1, 0.5], 4)
      expect(idsOf(found).toSorted()).toEqual(ids.toSorted())
      await plane.delete(ids)
      expect(await plane.search([1, 0.5])).toHaveLength(2)
    })

    it('answers nothing once it is closed; twice is once', async () => {
      const closing = await start({ dimension: 3 })
      await closing.close()
      await closing.close()
      await expect(closing.search([1, 0, 0])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      await expect(closing.upsert([])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
      await expect(closing.delete([])).rejects.toMatchObject({ code: 'UNAVAILABLE' })
    })
  })
}
