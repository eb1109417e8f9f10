import { describe, expect, it } from 'vitest'
import { wholeWeight, wordWeight } from './weighted-tokens.ts'

describe('the weight of a word', () => {
  it('is greater for rarer words, and greatest for one that no memory has', () => {
    const weights = [900, 100, 10, 1, 0].map((df) => wordWeight('word', 1000, df))
    expect(weights).toEqual(weights.toSorted((a, b) => a - b))
    expect(weights[0]).toBeGreaterThan(0)
  })

  it('says little of rarity in five memories, and much in ten thousand', () => {
    const spread = (memories: number) =>
      wordWeight('rare', memories, 1) / wordWeight('often', memories, memories * 0.4)
    expect(spread(5)).toBeLessThan(1.3)
    expect(spread(10_000)).toBeGreaterThan(9)
  })

  it('is 1 for a stop word and 0 for punctuation', () => {
    expect(wordWeight('when', 50, null)).toBe(1)
    expect(wordWeight('?', 50, null)).toBe(0)
  })
})

it('counts a word once, however many pieces and repetitions it has', () => {
  const weightedTokens = [
    { word: 'radiator', weight: 4 },
    { word: 'radiator', weight: 4 },
    { word: 'the', weight: 1 },
    { word: 'radiator', weight: 4 },
  ]
  expect(wholeWeight(weightedTokens)).toBe(5)
})
