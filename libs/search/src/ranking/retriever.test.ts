import { describe, expect, it } from 'vitest'
import { normaliseLexical, normaliseVector, type RetrieverHit, retrieverCandidates } from './retriever.ts'

const retriever = (...scores: number[]): RetrieverHit[] =>
  scores.map((score, index) => ({ memoryId: `m${index}`, score }))

describe('normaliseLexical', () => {
  it('divides by the best', () => {
    expect(normaliseLexical(retriever(8, 6, 2))).toEqual([1, 0.75, 0.25])
  })

  it('makes a lone hit 1, and a retriever without evidence 0', () => {
    expect(normaliseLexical(retriever(0.3))).toEqual([1])
    expect(normaliseLexical(retriever(0, -1))).toEqual([0, 0])
    expect(normaliseLexical([])).toEqual([])
  })
})

describe('normaliseVector', () => {
  it('stretches between the last and the first', () => {
    const [first, middle, last] = normaliseVector(retriever(0.75, 0.5, 0.25))
    expect(first).toBe(1)
    expect(middle).toBeCloseTo(0.5, 12)
    expect(last).toBe(0)
  })

  it('is 1 where there is no spread', () => {
    expect(normaliseVector(retriever(0.2))).toEqual([1])
    expect(normaliseVector(retriever(0.2, 0.2))).toEqual([1, 1])
    expect(normaliseVector([])).toEqual([])
  })

  it('takes negative cosines', () => {
    expect(normaliseVector(retriever(0, -0.25, -0.5))).toEqual([1, 0.5, 0])
  })
})

describe('retrieverCandidates', () => {
  it('keeps the best, equals by id, each memory once, numbers only', () => {
    const hits = [
      { memoryId: 'c', score: 1 },
      { memoryId: 'x', score: Number.NaN },
      { memoryId: 'b', score: 1 },
      { memoryId: 'a', score: 2 },
      { memoryId: 'b', score: 0.5 },
      { memoryId: 'd', score: 0.7 },
    ]
    expect(retrieverCandidates(hits, 3).map(({ memoryId }) => memoryId)).toEqual(['a', 'b', 'c'])
    expect(retrieverCandidates(hits, 10).map(({ score }) => score)).toEqual([2, 1, 1, 0.7])
  })
})
