import { describe, expect, it } from 'vitest'
import type { Neighbourhood } from './neighbours.ts'
import { DEFAULT_RANKING } from './options.ts'
import { type RankInput, rank } from './rank.ts'
import type { RetrieverHit } from './retriever.ts'

const hits = (scores: Record<string, number>): RetrieverHit[] =>
  Object.entries(scores).map(([memoryId, score]) => ({ memoryId, score }))

/** The neighbourhoods of sessions, each given as its ids in order: `abcde` is a session of five. */
function sessions(...texts: string[]): Map<string, Neighbourhood> {
  const map = new Map<string, Neighbourhood>()
  for (const text of texts) {
    const ids = [...text]
    for (const [at, memoryId] of ids.entries()) {
      const before = ids.slice(Math.max(0, at - 3), at).toReversed()
      map.set(memoryId, { memoryId, context: text, before, after: ids.slice(at + 1, at + 4) })
    }
  }
  return map
}

const search = (input: Partial<RankInput>) =>
  rank({
    lexical: null,
    vector: null,
    neighbourhoods: new Map(),
    eligible: () => true,
    options: DEFAULT_RANKING,
    limit: 10,
    ...input,
  })

const types = (input: Partial<RankInput>) =>
  Object.fromEntries(search(input).map(({ memoryId, matchType }) => [memoryId, matchType]))

describe('rank', () => {
  it('fuses, takes in neighbours and lifts by them: worked by hand', () => {
    // S: b = .6·1 + .4·0 = .6, d = .6·.5 + .4·1 = .7
    const result = search({
      lexical: hits({ b: 8, d: 4 }),
      vector: hits({ d: 0.9, b: 0.3 }),
      neighbourhoods: sessions('abcdefg'),
    })
    expect(result.map(({ memoryId }) => memoryId)).toEqual(['d', 'b', 'c', 'e', 'a'])
    const scores = Object.fromEntries(result.map(({ memoryId, score }) => [memoryId, score * 2.32]))
    // d is the best of the session: every hit gets .2 · .7 from it
    expect(scores['d']).toBeCloseTo(0.7 + 0.16 * 0.6 + 0.14, 12)
    // b is the second of its session: its second neighbour before is missing
    expect(scores['b']).toBeCloseTo(0.6 + 0.16 * (0.5 * 0.6 + 0.7) + 0.14, 12)
    expect(scores['c']).toBeCloseTo(0.4 * (0.6 + 0.7) + 0.14, 12)
    expect(scores['e']).toBeCloseTo(0.4 * 0.7 + 0.14, 12)
    expect(scores['a']).toBeCloseTo(0.4 * 0.6 + 0.14, 12)
  })

  it('explains a hit', () => {
    const [first] = search({ lexical: hits({ b: 8, c: 4 }), neighbourhoods: sessions('abc') })
    expect(first).toEqual({
      memoryId: 'b',
      score: expect.closeTo(1.56 / 2.32, 12),
      matchType: 'KEYWORD',
      explanation: {
        method: 'DEFAULT',
        retrievers: [
          { retriever: 'lexical', rank: 1, rawScore: 8, normalisedScore: 1, weight: 1, contribution: 1 },
        ],
        terms: [],
        neighbours: [{ memoryId: 'c', distance: 1, contribution: expect.closeTo(0.2, 12) }],
        priors: [],
        missingNeighbours: expect.closeTo(0.16, 12),
        session: { memoryId: 'b', contribution: 0.2 },
        ownScore: 1,
        scale: expect.closeTo(1 / 2.32, 12),
        score: expect.closeTo(1.56 / 2.32, 12),
      },
      restsOn: ['c', 'b'],
    })
  })

  it('lets in only those neighbours that pass the filters', () => {
    const neighbourhoods = sessions('abc')
    const lexical = hits({ b: 1 })
    const ids = (eligible: (id: string) => boolean) =>
      search({ lexical, neighbourhoods, eligible }).map(({ memoryId }) => memoryId)
    expect(ids(() => true)).toEqual(['b', 'a', 'c'])
    expect(ids((id) => id === 'c')).toEqual(['b', 'c'])
    expect(ids(() => false)).toEqual(['b'])
  })

  it('leaves out neighbours that nothing lifts', () => {
    const vector = hits({ x: 0.9, b: 0.1 })
    expect(search({ vector, neighbourhoods: sessions('abc') }).map(({ memoryId }) => memoryId)).toEqual([
      'x',
      'b',
    ])
  })

  it('names what found a hit', () => {
    const neighbourhoods = sessions('ab')
    const lexical = hits({ a: 2, x: 1 })
    expect(types({ lexical, vector: hits({ a: 0.9, y: 0.8 }), neighbourhoods })).toEqual({
      a: 'HYBRID',
      b: 'CONTEXT',
      x: 'KEYWORD',
      y: 'SEMANTIC',
    })
    expect(types({ lexical, neighbourhoods })).toEqual({ a: 'KEYWORD', b: 'CONTEXT', x: 'KEYWORD' })
    expect(types({ vector: lexical, neighbourhoods })).toEqual({
      a: 'SEMANTIC',
      b: 'CONTEXT',
      x: 'SEMANTIC',
    })
  })

  it('leaves neighbours out of reciprocal rank fusion', () => {
    const options = { ...DEFAULT_RANKING, method: 'RRF' } as const
    const result = search({ lexical: hits({ b: 1 }), vector: [], neighbourhoods: sessions('abc'), options })
    expect(result.map(({ memoryId, score }) => [memoryId, score])).toEqual([['b', 0.5]])
    expect(result[0]?.explanation).toMatchObject({
      method: 'RRF',
      neighbours: [],
      missingNeighbours: 0,
      session: null,
      scale: 1,
    })
  })

  it('orders equal scores by id, and cuts after that', () => {
    const lexical = hits({ c: 1, a: 1, b: 1 })
    expect(search({ lexical }).map(({ memoryId }) => memoryId)).toEqual(['a', 'b', 'c'])
    expect(search({ lexical, limit: 2 }).map(({ memoryId }) => memoryId)).toEqual(['a', 'b'])
    expect(search({ lexical, limit: 0 })).toEqual([])
    expect(search({})).toEqual([])
  })
})
