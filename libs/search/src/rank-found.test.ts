import { expect, it } from 'vitest'
import { onceEachText } from './rank-found.ts'

const hits = (...given: [string, number][]) => given.map(([memoryId, score]) => ({ memoryId, score }))

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
