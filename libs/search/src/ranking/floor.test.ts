import { describe, expect, it } from 'vitest'
import { plainExplanation, type RetrieverContribution } from './explanation.ts'
import { evidenceOf, type Floor, type FloorCase, isAnswer } from './floor.ts'
import { matchType, type RankedHit } from './rank.ts'

const floor: Floor = {
  answer: 0.01,
  stranger: 0.05,
  unnamed: 0.3,
  fromMemories: 100,
  wordsShare: 0.25,
  cosine: 0.12,
  unheard: 0.4,
}

interface Found {
  /** The share of the question's words. */
  readonly words?: number
  readonly cosine?: number
}

function hit(memoryId: string, score: number, { words, cosine }: Found): RankedHit {
  const found = (retriever: 'lexical' | 'vector', value?: number): RetrieverContribution[] =>
    value === undefined
      ? []
      : [{ retriever, rank: 1, rawScore: value, normalisedScore: value, weight: 1, contribution: value }]
  const retrievers = [...found('lexical', words), ...found('vector', cosine)]
  return {
    memoryId,
    score,
    matchType: matchType(retrievers),
    explanation: plainExplanation({ method: 'DEFAULT', retrievers, score }),
    restsOn: [],
  }
}

const MANY: FloorCase = { memories: 500, stranger: false, unnamed: false, unheard: false }
const kept = (hits: readonly RankedHit[], known: Partial<FloorCase> | null = {}) =>
  isAnswer(hits[0]?.score ?? 0, evidenceOf(hits), floor, known && { ...MANY, ...known })
    ? hits.map(({ memoryId }) => memoryId)
    : []

describe('what is not relevant is not a hit (capability 3)', () => {
  it('finds nothing where the best score is an accident, whatever words it shares', () => {
    expect(kept([hit('a', 0.009, { words: 0.1, cosine: 0.4 })])).toEqual([])
    expect(kept([hit('a', 0.011, { words: 0.1, cosine: 0.4 })])).toEqual(['a'])
  })

  it('judges no score among few memories', () => {
    expect(kept([hit('a', 0.009, { cosine: 0.4 })], { memories: 50 })).toEqual(['a'])
  })

  it('asks more still of an answer to a question with an identifier that no memory has', () => {
    const known = { unnamed: true, memories: 50 }
    expect(isAnswer(0.29, { wordsShare: 0.2, nearest: 0.5 }, floor, { ...MANY, ...known })).toBe(false)
    expect(isAnswer(0.31, { wordsShare: 0.2, nearest: 0.5 }, floor, { ...MANY, ...known })).toBe(true)
  })

  it('asks more of an answer about a stranger', () => {
    const hits = [hit('a', 0.04, { words: 0.1, cosine: 0.4 })]
    expect(kept(hits, { stranger: true })).toEqual([])
    expect(kept(hits, { stranger: true, memories: 50 })).toEqual([])
    expect(kept(hits)).toEqual(['a'])
  })

  it('keeps what has the words asked for: labels and days are not among the tokens', () => {
    expect(kept([hit('b', 0.008, { cosine: 0.4 }), hit('a', 0.005, { words: 0.4 })])).toEqual(['b', 'a'])
  })

  it('keeps all behind a good one', () => {
    const best = hit('a', 0.5, { words: 0.4, cosine: 0.6 })
    expect(kept([best, hit('unlikely', 0.001, { cosine: 0.1 })])).toEqual(['a', 'unlikely'])
  })

  it('goes by the nearest where no memory has a word of the question', () => {
    expect(kept([hit('far', 0.3, { cosine: 0.11 })])).toEqual([])
    expect(kept([hit('beside', 0.4, {}), hit('near', 0.3, { cosine: 0.13 })])).toEqual(['beside', 'near'])
    expect(kept([hit('near', 0.3, { cosine: 0.39 })], { unheard: true })).toEqual([])
  })

  it('takes neighbours with an answer, never for one', () => {
    expect(kept([hit('beside', 0.4, {}), hit('beside too', 0.3, {})])).toEqual([])
  })

  it('goes by cosines alone where no tokens were compared: scores are relative there', () => {
    expect(kept([hit('far', 0.9, { cosine: 0.1 })], null)).toEqual([])
    expect(kept([hit('near', 0.001, { cosine: 0.3 }), hit('far', 0.0005, { cosine: 0.1 })], null)).toEqual([
      'near',
      'far',
    ])
  })
})
