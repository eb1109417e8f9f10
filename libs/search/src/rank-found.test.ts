import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { onceEachText, orderBySuccession } from './rank-found.ts'

const hits = (...given: [string, number][]) => given.map(([memoryId, score]) => ({ memoryId, score }))

it('puts a superseded memory below the newer one, with no more than its score', () => {
  const found = hits(['old', 0.9], ['other', 0.8], ['new', 0.5], ['last', 0.1])
  expect(orderBySuccession(found, new Map([['old', 'new']]))).toEqual(
    hits(['other', 0.8], ['new', 0.5], ['old', 0.5], ['last', 0.1]).map((hit) =>
      hit.memoryId === 'old' ? { ...hit, supersededBy: 'new' } : hit,
    ),
  )
})

it('leaves it where it is if the newer one was not found, or was found above it', () => {
  const found = hits(['old', 0.9], ['new', 0.5])
  for (const links of [new Map([['old', 'elsewhere']]), new Map([['new', 'old']])])
    expect(orderBySuccession(found, links)).toEqual(
      found.map((hit) => (links.has(hit.memoryId) ? { ...hit, supersededBy: links.get(hit.memoryId) } : hit)),
    )
})

it('keeps the order of scores and every hit, whoever supersedes whom, even in a circle', () => {
  const id = fc.nat(5).map(String)
  const found = fc.uniqueArray(
    fc.record({ memoryId: id, score: fc.double({ min: 0, max: 1, noNaN: true }) }),
    {
      selector: ({ memoryId }) => memoryId,
    },
  )
  const links = fc.array(fc.tuple(id, id)).map((pairs) => new Map(pairs))
  fc.assert(
    fc.property(found, links, (given, successors) => {
      const ranked = given.toSorted((a, b) => b.score - a.score)
      const ordered = orderBySuccession(ranked, successors)
      expect(ordered.map(({ memoryId }) => memoryId).toSorted()).toEqual(
        given.map(({ memoryId }) => memoryId).toSorted(),
      )
      expect(ordered.map(({ score }) => score)).toEqual(
        ordered.map(({ score }) => score).toSorted((a, b) => b - a),
      )
    }),
  )
})

it('keeps the best of equal texts, which names the others', () => {
  const found = hits(['a1', 0.9], ['a2', 0.8], ['b', 0.7], ['a3', 0.6], ['c', 0.5])
  const hashes = new Map([
    ['a1', 'a'],
    ['a2', 'a'],
    ['a3', 'a'],
    ['b', 'b'],
  ])
  expect(onceEachText(found, hashes)).toEqual([
    { memoryId: 'a1', score: 0.9, sameText: ['a2', 'a3'] },
    ...hits(['b', 0.7], ['c', 0.5]),
  ])
  expect(onceEachText(found, new Map())).toEqual(found)
})
