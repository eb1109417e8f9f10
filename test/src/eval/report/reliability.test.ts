import { describe, expect, it } from 'vitest'
import { calibrationError, relevantShare, reliability } from './reliability.ts'

const hits = (score: number, relevant: number, others: number) => [
  ...Array.from({ length: relevant }, () => ({ score, relevant: true })),
  ...Array.from({ length: others }, () => ({ score, relevant: false })),
]

describe('reliability', () => {
  it('counts hits and relevant hits by score', () => {
    const bins = reliability([
      ...hits(0.05, 0, 3),
      ...hits(0.31, 1, 2),
      ...hits(0.39, 1, 0),
      ...hits(1, 2, 0),
    ])
    expect(bins).toHaveLength(10)
    expect(bins[0]).toEqual({ from: 0, to: 0.1, hits: 3, relevant: 0, meanScore: 0.05 })
    expect(bins[3]).toEqual({ from: 0.3, to: 0.4, hits: 4, relevant: 2, meanScore: 0.33 })
    expect(bins[9]).toMatchObject({ hits: 2, relevant: 2, meanScore: 1 })
    expect(bins.reduce((sum, bin) => sum + bin.hits, 0)).toBe(9)
  })

  it('refuses what is no score', () => {
    expect(() => reliability([{ score: Number.NaN, relevant: true }])).toThrow(RangeError)
  })
})

describe('calibrationError', () => {
  it('is 0 where scores are probabilities, and their distance where they are not', () => {
    expect(calibrationError(reliability(hits(0.25, 1, 3)))).toBeCloseTo(0, 12)
    // 4 hits that are .65 too high, 6 that are .25 too low
    expect(calibrationError(reliability([...hits(0.9, 1, 3), ...hits(0.25, 3, 3)]))).toBeCloseTo(0.41, 12)
    expect(calibrationError([])).toBe(0)
    expect(relevantShare({ from: 0, to: 0.1, hits: 0, relevant: 0, meanScore: 0 })).toBe(0)
  })
})
