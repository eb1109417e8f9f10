import { expect, it } from 'vitest'
import { createCollection } from './collection.ts'
import { filtered } from './match-filter.ts'
import { readSchema } from './schema.ts'
import { readVectorQuery, searchVectors } from './vector-query.ts'
import { cosineDistance, normalised } from './vectors.ts'

const DIMENSION = 6

/** Coarse numbers, so that many distances are equal. */
const vectorOf = (seed: number) =>
  Array.from({ length: DIMENSION }, (_, index) => ((seed * 7 + index * seed * 3) % 5) - 2 + 0.5)

it('the nearest that a filter lets through, of documents that come, change and go', () => {
  const collection = createCollection(
    readSchema({
      name: 'of_vectors',
      fields: [
        { name: 'owner', type: 'string' },
        { name: 'vector', type: 'float[]', num_dim: DIMENSION, optional: true },
      ],
    }),
    0,
  )
  const write = (id: number, seed: number | null) =>
    collection.write('upsert', {
      id: `${id}`,
      owner: `owner-${id % 3}`,
      ...(seed === null ? {} : { vector: vectorOf(seed) }),
    })
  for (let id = 0; id < 3_000; id += 1) write(id, id)
  for (let id = 0; id < 3_000; id += 5) write(id, id + 1_000)
  for (let id = 1; id < 3_000; id += 7) collection.remove(`${id}`)
  for (let id = 2; id < 3_000; id += 11) write(id, null)

  for (const k of [1, 10, 400]) {
    const wanted = vectorOf(k + 3)
    const query = readVectorQuery(collection, `vector:([${wanted.join(',')}], k:${k})`, 10)
    const allowed = filtered(collection, 'owner:=owner-1')
    const expected = allowed.all
      .flatMap((stored) => {
        const { vector } = stored.document
        if (!Array.isArray(vector)) return []
        return [{ stored, distance: cosineDistance(normalised(wanted), normalised(vector)) }]
      })
      .toSorted((left, right) => left.distance - right.distance || right.stored.seq - left.stored.seq)
      .slice(0, k)
    expect(searchVectors(collection, query, allowed)).toEqual(expected)
  }
})
