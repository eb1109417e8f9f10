import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { plainExplanation } from '../ranking/explanation.ts'
import { NO_PRIORS, type PriorWeights } from '../ranking/options.ts'
import type { RankedHit } from '../ranking/rank.ts'
import { type PriorFacts, withPriors } from './with-priors.ts'

const DAY = 86_400_000
const NOW = 1_000 * DAY
const clock = { now: NOW, halfLifeMs: 30 * DAY }

const hit = (memoryId: string, score: number): RankedHit => ({
  memoryId,
  score,
  matchType: 'HYBRID',
  explanation: plainExplanation({ method: 'DEFAULT', retrievers: [], score }),
  restsOn: [],
})
const fact = (made: Partial<PriorFacts> = {}): PriorFacts => ({
  happened: NOW,
  used: NOW,
  importance: 5,
  ...made,
})
const moved = (hits: RankedHit[], weights: Partial<PriorWeights>, facts: Record<string, PriorFacts>) =>
  withPriors(hits, { ...NO_PRIORS, ...weights }, new Map(Object.entries(facts)), clock)

describe('what is used, important or recent can weigh (capability 23)', () => {
  it('changes nothing by default', () => {
    const hits = [hit('a', 0.6), hit('b', 0.5)]
    expect(moved(hits, {}, { a: fact({ used: 0 }) })).toBe(hits)
  })

  it('lowers the odds of what was not used for a half-life to e^−0.5 of them', () => {
    const [first] = moved([hit('a', 0.5)], { decay: 1 }, { a: fact({ used: NOW - 30 * DAY }) })
    expect(first?.score).toBeCloseTo(Math.exp(-0.5) / (1 + Math.exp(-0.5)), 12)
    expect(first?.explanation.priors).toEqual([{ name: 'decay', value: -0.5, weight: 1, contribution: -0.5 }])
    expect(first?.explanation.score).toBe(first?.score)
  })

  it('puts the important and the recent first', () => {
    const hits = [hit('old', 0.55), hit('new', 0.5)]
    const facts = { old: fact({ happened: NOW - 300 * DAY, importance: 2 }), new: fact({ importance: 8 }) }
    for (const weights of [{ recency: 1 }, { importance: 1 }])
      expect(moved(hits, weights, facts).map(({ memoryId }) => memoryId)).toEqual(['new', 'old'])
  })

  it('keeps every score within 0 and 1, and each hit once', () => {
    const weight = fc.double({ min: 0, max: 10, noNaN: true })
    fc.assert(
      fc.property(
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.record({ decay: weight, importance: weight, recency: weight }),
        fc.record({ happened: fc.nat(), used: fc.nat(), importance: fc.nat(10) }),
        (score, weights, facts) => {
          const [first, ...others] = moved([hit('a', score)], weights, { a: facts })
          expect(others).toEqual([])
          expect(first?.score).toBeGreaterThanOrEqual(0)
          expect(first?.score).toBeLessThanOrEqual(1)
        },
      ),
      { numRuns: 200 },
    )
  })
})
