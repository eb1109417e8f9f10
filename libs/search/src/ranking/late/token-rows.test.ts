import { describe, expect, it } from 'vitest'
import { nearMatch, ownMatch } from './token-rows.ts'

const row = (...best: number[]) => ({ best: Float32Array.from(best), tokens: 10 })
const weightedTokens = [
  { word: 'cat', weight: 3 },
  { word: 'sleeps', weight: 1 },
]

describe('the own match', () => {
  it('is the mean of the best matches, by weight', () => {
    expect(ownMatch(weightedTokens, row(0.25, 0.5))).toBeCloseTo((3 * 0.25 + 0.5) / 4)
  })

  it('takes a match above .5 for .5', () => {
    expect(ownMatch(weightedTokens, row(0.9, 0.75))).toBe(0.5)
  })

  it('is 0 if no token has a weight', () => {
    expect(ownMatch([{ word: '?', weight: 0 }], row(0.9))).toBe(0)
    expect(ownMatch([], row())).toBe(0)
  })
})

describe('the match with what is around', () => {
  it('takes each token where it matches best, in full', () => {
    expect(nearMatch(weightedTokens, row(0.25, 0.5), [{ matches: row(0.75, -0.5), share: 1 }])).toBeCloseTo(
      (3 * 0.75 + 0.5) / 4,
    )
  })

  it('counts what is around as far as it continues the memory', () => {
    const around = (share: number) =>
      nearMatch(weightedTokens, row(0.25, 0.5), [{ matches: row(0.75, -0.5), share }])
    expect(around(0.5)).toBeCloseTo((3 * 0.5 + 0.5) / 4)
    expect(around(0)).toBeCloseTo((3 * 0.25 + 0.5) / 4)
  })

  it('is that of what is around if the memory is not embedded yet', () => {
    expect(nearMatch(weightedTokens, undefined, [{ matches: row(0.75, -0.5), share: 0.5 }])).toBeCloseTo(
      (3 * 0.75 - 0.5) / 4,
    )
  })

  it('is that of the memory if nothing is around', () => {
    expect(nearMatch(weightedTokens, row(0.75, -0.5))).toBeCloseTo((3 * 0.75 - 0.5) / 4)
  })
})
