import { describe, expect, it } from 'vitest'
import { planBatches } from './model.ts'

const item = (length: number) => ({ ids: Array.from<number>({ length }).fill(7) })

const lengths = (batches: { ids: readonly number[] }[][]) =>
  batches.map((batch) => batch.map(({ ids }) => ids.length))

describe('planBatches', () => {
  it('puts texts of like length together, longest first', () => {
    const batches = planBatches([2, 9, 3, 10].map(item), { maxPaddedTokens: 20, maxTexts: 32 })
    expect(lengths(batches)).toEqual([
      [10, 9],
      [3, 2],
    ])
  })

  it('counts padding, not only text', () => {
    // 10 + 2 + 2 = 14 tokens would fit into 20, but padded they are 30.
    const batches = planBatches([10, 2, 2].map(item), { maxPaddedTokens: 20, maxTexts: 32 })
    expect(lengths(batches)).toEqual([[10, 2], [2]])
  })

  it('keeps to the number of texts, and lets one text over the budget through', () => {
    expect(lengths(planBatches([1, 1, 1].map(item), { maxPaddedTokens: 20, maxTexts: 2 }))).toEqual([
      [1, 1],
      [1],
    ])
    expect(lengths(planBatches([50, 1].map(item), { maxPaddedTokens: 20, maxTexts: 2 }))).toEqual([[50], [1]])
    expect(planBatches([], { maxPaddedTokens: 20, maxTexts: 2 })).toEqual([])
  })
})
