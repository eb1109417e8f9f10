import { describe, expect, it } from 'vitest'
import { fuse } from './fuse.ts'
import { DEFAULT_RANKING } from './options.ts'
import type { RetrieverHit } from './retriever.ts'

const lexical: RetrieverHit[] = [
  { memoryId: 'a', score: 8 },
  { memoryId: 'b', score: 4 },
]
const vector: RetrieverHit[] = [
  { memoryId: 'b', score: 0.75 },
  { memoryId: 'c', score: 0.5 },
  { memoryId: 'a', score: 0.25 },
]
const scores = (...args: Parameters<typeof fuse>) =>
  Object.fromEntries([...fuse(...args).values()].map(({ memoryId, score }) => [memoryId, score]))

describe('linear fusion', () => {
  it('is .6·l + .4·v, 0 for a retriever that did not find it', () => {
    expect(scores({ lexical, vector }, DEFAULT_RANKING)).toEqual({
      a: expect.closeTo(0.6 * 1 + 0.4 * 0, 12),
      b: expect.closeTo(0.6 * 0.5 + 0.4 * 1, 12),
      c: expect.closeTo(0.4 * 0.5, 12),
    })
  })

  it('says what each retriever gave', () => {
    expect(fuse({ lexical, vector }, DEFAULT_RANKING).get('b')?.retrievers).toEqual([
      { retriever: 'lexical', rank: 2, rawScore: 4, normalisedScore: 0.5, weight: 0.6, contribution: 0.3 },
      { retriever: 'vector', rank: 1, rawScore: 0.75, normalisedScore: 1, weight: 0.4, contribution: 0.4 },
    ])
  })

  it('gives the weight of a retriever that did not run to the other', () => {
    expect(scores({ lexical, vector: null }, DEFAULT_RANKING)).toEqual({ a: 1, b: 0.5 })
    expect(scores({ lexical: null, vector }, DEFAULT_RANKING)).toEqual({ b: 1, c: 0.5, a: 0 })
    expect(scores({ lexical: null, vector: null }, DEFAULT_RANKING)).toEqual({})
  })

  it('leaves its weight to a retriever that ran and found nothing', () => {
    expect(scores({ lexical: [], vector }, DEFAULT_RANKING)).toEqual({ b: 0.4, c: 0.2, a: 0 })
  })

  it('takes weights by their ratio, and none that are 0 or negative altogether', () => {
    const retrievers = { lexical, vector }
    expect(scores(retrievers, { ...DEFAULT_RANKING, lexicalWeight: 3, vectorWeight: 1 })['a']).toBe(0.75)
    expect(() => fuse(retrievers, { ...DEFAULT_RANKING, lexicalWeight: 0, vectorWeight: 0 })).toThrow(
      RangeError,
    )
    expect(() => fuse(retrievers, { ...DEFAULT_RANKING, lexicalWeight: 2, vectorWeight: -1 })).toThrow(
      RangeError,
    )
  })

  it('takes the best of each retriever only', () => {
    expect(
      Object.keys(scores({ lexical, vector }, { ...DEFAULT_RANKING, candidatesPerRetriever: 1 })),
    ).toEqual(['a', 'b'])
  })
})

describe('reciprocal rank fusion', () => {
  const rrf = { ...DEFAULT_RANKING, method: 'RRF' } as const

  it('is Σ 1/(60 + rank), scaled by what the first of both retrievers would have', () => {
    const best = 2 / 61
    expect(scores({ lexical, vector }, rrf)).toEqual({
      a: expect.closeTo((1 / 61 + 1 / 63) / best, 12),
      b: expect.closeTo((1 / 62 + 1 / 61) / best, 12),
      c: expect.closeTo(1 / 62 / best, 12),
    })
  })

  it('gives the first of the only retriever 1', () => {
    expect(scores({ lexical, vector: null }, rrf)).toEqual({ a: 1, b: expect.closeTo(61 / 62, 12) })
  })
})
