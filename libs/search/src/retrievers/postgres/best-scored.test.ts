import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { keepBest } from './best-scored.ts'

describe('keepBest', () => {
  it('gives what sorting everything would give, equals by number', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.record({ number: fc.nat(500), score: fc.integer({ min: 1, max: 20 }) }), {
          selector: ({ number }) => number,
          maxLength: 200,
        }),
        fc.integer({ min: 1, max: 50 }),
        (all, limit) => {
          const kept = keepBest(limit)
          for (const { number, score } of all) kept.offer(number, score)
          const expected = all.toSorted((a, b) => b.score - a.score || a.number - b.number).slice(0, limit)
          const { numbers, scores } = kept.best()
          expect(numbers.map((number, place) => ({ number, score: scores[place] }))).toEqual(expected)
          expect(kept.offered()).toBe(all.length)
        },
      ),
    )
  })
})
