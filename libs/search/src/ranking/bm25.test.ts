import { describe, expect, it } from 'vitest'
import { coverage, idf, saturation, termScore } from './bm25.ts'

describe('idf', () => {
  it('is ln(1 + (n − df + .5)/(df + .5))', () => {
    // ln(1 + 8.5/2.5) = ln 4.4
    expect(idf(10, 2)).toBeCloseTo(1.481604540924, 12)
    // ln(1 + .5/1.5) = ln 4/3
    expect(idf(1, 1)).toBeCloseTo(0.287682072452, 12)
  })

  it('stays above 0 for a word that every memory has, and at 0 where df exceeds n', () => {
    expect(idf(1_000_000, 1_000_000)).toBeGreaterThan(0)
    expect(idf(3, 9)).toBe(0)
  })
})

describe('saturation', () => {
  it('is 1 for one occurrence in a text of average length', () => {
    expect(saturation(1, 20, 20)).toBeCloseTo(1, 12)
  })

  it('is tf·2.2/(tf + 1.2·(.6 + .4·dl/avgdl))', () => {
    // 4.4/(2 + 1.2·1.4) = 4.4/3.68
    expect(saturation(2, 40, 20)).toBeCloseTo(1.195652173913, 12)
    // 2.2/(1 + 1.2·.8) = 2.2/1.96
    expect(saturation(1, 10, 20)).toBeCloseTo(1.122448979592, 12)
  })

  it('stays below k1 + 1, is 0 without an occurrence, and takes an average of 0', () => {
    expect(saturation(1_000, 1, 20)).toBeLessThan(2.2)
    expect(saturation(0, 10, 20)).toBe(0)
    expect(saturation(1, 0, 0)).toBeCloseTo(1, 12)
  })
})

describe('termScore', () => {
  it('is qtf · idf · saturation', () => {
    expect(termScore(3, 1.5, 2, 40, 20)).toBeCloseTo(3 * 1.5 * 1.195652173913, 10)
  })
})

describe('coverage', () => {
  it('is the root of the matched share of the question', () => {
    expect(coverage(1, 4)).toBe(0.5)
    expect(coverage(4, 4)).toBe(1)
  })

  it('is 1 where the question has no known word', () => {
    expect(coverage(0, 0)).toBe(1)
  })
})
