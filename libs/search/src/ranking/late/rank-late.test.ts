import { describe, expect, it } from 'vitest'
import type { Neighbourhood } from '../neighbours.ts'
import { nearness, PROMISING, promisingCandidates, type RankLateInput, rankLate } from './rank-late.ts'
import type { TokenMatches } from './token-rows.ts'

const weightedTokens = [
  { word: 'feline', weight: 4 },
  { word: 'winter', weight: 4 },
]

const row = (feline: number, winter: number, tokens = 20): TokenMatches => ({
  best: Float32Array.of(feline, winter),
  tokens,
})

/** The neighbourhoods of a session, in the order of its ids. */
function session(context: string, ids: readonly string[]): Map<string, Neighbourhood> {
  return new Map(
    ids.map((memoryId, at) => [
      memoryId,
      {
        memoryId,
        context,
        before: ids.slice(Math.max(0, at - 3), at).toReversed(),
        after: ids.slice(at + 1, at + 4),
      },
    ]),
  )
}

const rank = (input: Partial<RankLateInput>) =>
  rankLate({
    weightedTokens,
    matches: new Map(),
    lexical: [],
    vector: [],
    neighbourhoods: new Map(),
    eligible: () => true,
    isSpokenByNamed: () => false,
    timeMatch: () => 0,
    candidatesPerRetriever: 100,
    without: new Set(),
    limit: 10,
    ...input,
  })

const promising = (input: Partial<RankLateInput>) =>
  promisingCandidates({
    weightedTokens,
    matches: new Map(),
    lexical: [],
    vector: [],
    isSpokenByNamed: () => false,
    timeMatch: () => 0,
    candidatesPerRetriever: 100,
    without: new Set(),
    ...input,
  })

const ids = (input: Partial<RankLateInput>) => rank(input).map(({ memoryId }) => memoryId)

const terms = (input: Partial<RankLateInput>, id: string) =>
  Object.fromEntries(
    rank(input)
      .find(({ memoryId }) => memoryId === id)
      ?.explanation.terms.map(({ name, value }) => [name, value]) ?? [],
  )

describe('ranking by late interaction', () => {
  it('adds up the terms: worked by hand', () => {
    const [hit] = rank({
      matches: new Map([['cat', row(0.75, 0.25, 256)]]),
      lexical: [{ memoryId: 'cat', score: 4.4 }],
      vector: [{ memoryId: 'cat', score: 0.5 }],
      isSpokenByNamed: () => true,
      timeMatch: () => 0.5,
    })
    expect(
      hit?.explanation.terms.map(({ name, value, contribution }) => [name, value, contribution]),
    ).toEqual([
      ['base', 1, -2.2],
      ['pool', 0, expect.closeTo(0)],
      ['own', 0.375, 2.25],
      ['near', 0.5, 3],
      ['session', 0.5, 0.75],
      ['words', 0.25, 0.75],
      ['vector', 0.5, 0.75],
      ['speaker', 1, 1.25],
      ['time', 0.5, 1],
      ['length', 2, -0.6],
    ])
    expect(hit?.score).toBeCloseTo(1 / (1 + Math.exp(-6.95)))
    expect(hit?.explanation.score).toBe(hit?.score)
  })

  it('lets a strong meaning win against an accidental word in a small memory', () => {
    const matches = new Map([
      ['cat', row(0.6, 0.7)],
      ['decision', row(0.1, 0.2)],
    ])
    const vector = [
      { memoryId: 'cat', score: 0.64 },
      { memoryId: 'decision', score: 0.1 },
    ]
    expect(ids({ matches, vector, lexical: [{ memoryId: 'decision', score: 1.2 }] })).toEqual([
      'cat',
      'decision',
    ])
  })

  it('gives a match a lower score among more memories', () => {
    const vector = ['a', 'b', 'c', 'd'].map((memoryId) => ({ memoryId, score: 0.3 }))
    const input = { matches: new Map([['a', row(0.6, 0.6)]]) }
    const [few] = rank({ ...input, vector: vector.slice(0, 2) })
    const [many] = rank({ ...input, vector })
    expect(few?.memoryId).toBe('a')
    expect(many?.memoryId).toBe('a')
    const odds = (score = 0) => score / (1 - score)
    expect(odds(few?.score) / odds(many?.score)).toBeCloseTo(2 ** 1.5)
  })

  it('brings in the answer to a turn that matches', () => {
    const talk = session('talk', ['a', 'b', 'c', 'd', 'e'])
    const input = {
      neighbourhoods: talk,
      vector: [{ memoryId: 'b', score: 0.5 }],
      matches: new Map([
        ['a', row(0.1, 0.1)],
        ['b', row(0.9, 0.1)],
        ['c', row(0.1, 0.5)],
        ['d', row(0.9, 0.9)],
      ]),
    }
    expect(ids(input).toSorted()).toEqual(['a', 'b', 'c'])
    // d cannot become a hit, so its row does not count
    expect(terms(input, 'c')['near']).toBeCloseTo((0.9 + 0.5) / 2)
    expect(terms(input, 'a')['session']).toBeCloseTo(terms(input, 'b')['near'] ?? 0)
  })

  it('leaves out neighbours that the filter excludes', () => {
    const neighbourhoods = session('talk', ['a', 'b', 'c'])
    const input = { neighbourhoods, vector: [{ memoryId: 'b', score: 0.5 }] }
    expect(ids({ ...input, eligible: (id) => id === 'c' })).toEqual(['b', 'c'])
  })

  it('estimates a memory whose embedding is not there yet from its words', () => {
    const input = {
      matches: new Map([
        ['good', row(0.9, 0.9)],
        ['bad', row(0.05, 0.05)],
      ]),
      vector: [
        { memoryId: 'good', score: 0.6 },
        { memoryId: 'bad', score: 0.1 },
      ],
      lexical: [{ memoryId: 'late', score: 5 }],
    }
    expect(ids(input)).toEqual(['good', 'late', 'bad'])
    expect(rank(input)[1]?.matchType).toBe('KEYWORD')
  })

  it('takes a memory outside the vector retriever’s list for as far as its last one', () => {
    const input = {
      lexical: [{ memoryId: 'word', score: 4 }],
      vector: [
        { memoryId: 'near', score: 0.5 },
        { memoryId: 'last', score: 0.25 },
      ],
    }
    expect(terms(input, 'word')['vector']).toBe(0.25)
  })

  it('leaves out the terms that an evaluation names', () => {
    const input = {
      matches: new Map([['cat', row(0.75, 0.25, 256)]]),
      lexical: [{ memoryId: 'cat', score: 4.4 }],
      isSpokenByNamed: () => true,
      without: new Set(['own', 'neighbours', 'lexical', 'speaker', 'time', 'length'] as const),
    }
    const left = rank(input)[0]?.explanation.terms.filter(({ weight }) => weight !== 0)
    expect(left?.map(({ name }) => name)).toEqual(['base', 'pool', 'session', 'vector'])
  })

  it('names the memories on which a score rests: those around it, and the best of the session with its own', () => {
    const around = ['a', 'b', 'c', 'd', 'e', 'f', 'g']
    const matches = new Map(around.map((id) => [id, id === 'a' ? row(0.9, 0.9) : row(0.1, 0.1)]))
    const neighbourhoods = session('chat', around)
    const vector = around.map((memoryId) => ({ memoryId, score: 0.5 }))
    const hit = rank({ matches, neighbourhoods, vector }).find(({ memoryId }) => memoryId === 'f')
    // a, b and c match as well as a does: b and c beside it. Of equals the first id counts.
    expect(new Set(hit?.restsOn)).toEqual(new Set(['d', 'e', 'g', 'a', 'b', 'c']))
    const alone = rank({ matches: new Map([['x', row(0.5, 0.5)]]), vector: [{ memoryId: 'x', score: 0.5 }] })
    expect(alone[0]?.restsOn).toEqual(['x'])
  })

  it('orders equal scores by id', () => {
    const vector = ['c', 'a', 'b'].map((memoryId) => ({ memoryId, score: 0.5 }))
    expect(ids({ vector })).toEqual(['a', 'b', 'c'])
  })

  it('says nothing relevant of nothing', () => {
    expect(ids({ lexical: null })).toEqual([])
    expect(ids({ weightedTokens: [], vector: [{ memoryId: 'a', score: 0.5 }] })).toEqual(['a'])
  })

  it('the promising candidates are those that score best alone', () => {
    const names = Array.from({ length: 100 }, (_, at) => `m${at}`)
    const matches = new Map(names.map((id, at) => [id, row(at / 250, 0.1)]))
    const vector = names.map((memoryId) => ({ memoryId, score: 0.3 }))
    const best = names.toReversed().slice(0, PROMISING)
    expect(promising({ matches, vector })).toEqual(best)
    expect(promising({ matches, vector: vector.toReversed() })).toEqual(best)
    expect(best).not.toContain('m10')
    expect(promising({ matches, vector, isSpokenByNamed: (id) => id === 'm10' })).toContain('m10')
  })

  it('a score means the same if the neighbours of some candidates were not looked up', () => {
    const contexts = Array.from({ length: 4 }, (_, at) => [`a${at}`, `b${at}`, `c${at}`])
    const vector = contexts.map(([, memoryId]) => ({ memoryId: memoryId!, score: 0.5 }))
    const all = new Map(contexts.flatMap((turns, at) => [...session(`chat ${at}`, turns)]))
    const poolOf = (lookedUp: number) =>
      terms({ vector, neighbourhoods: new Map([...all].slice(0, 3 * lookedUp)), lookedUp }, 'b0').pool
    expect(poolOf(4)).toBeCloseTo(Math.log(12))
    expect(poolOf(2)).toBeCloseTo(Math.log(12))
    expect(poolOf(0)).toBeCloseTo(Math.log(4))
    const memories = 10
    const few = { vector, neighbourhoods: new Map([...all].slice(0, 6)), lookedUp: 2, memories }
    expect(terms(few, 'b0').pool).toBeCloseTo(Math.log(10))
    expect(terms({ ...few, memories: 1 }, 'b0').pool).toBeCloseTo(Math.log(8))
  })

  it('a candidate that was not looked up matches as one that no retriever found', () => {
    const turns = session('chat', ['a', 'b', 'c', 'd'])
    const neighbourhoods = new Map([...turns].filter(([id]) => id === 'b'))
    const matches = new Map([
      ['b', row(0.5, 0.1)],
      ['c', row(0.1, 0.5)],
    ])
    const asked = { matches, neighbourhoods, lookedUp: 1 }
    const found = (...nearest: string[]) => ({
      ...asked,
      vector: nearest.map((memoryId) => ({ memoryId, score: 0.5 })),
    })
    const [alone, both] = [terms(found('b'), 'c'), terms(found('b', 'c'), 'c')]
    expect([both.near, both.session]).toEqual([alone.near, alone.session])
    expect(both.near).toBeCloseTo(0.5)
  })
})

const DAY = 86_400_000

const MAY = { from: Date.UTC(2026, 4, 1), to: Date.UTC(2026, 5, 1) }

describe('nearness', () => {
  it('is 1 within the time, and fades on both sides', () => {
    expect(nearness(MAY.from, [MAY])).toBe(1)
    expect(nearness(MAY.to - 1, [MAY])).toBe(1)
    expect(nearness(MAY.from - 3 * DAY, [MAY])).toBeCloseTo(Math.exp(-1), 12)
    expect(nearness(MAY.to - 1 + 6 * DAY, [MAY])).toBeCloseTo(Math.exp(-2), 12)
  })

  it('counts the nearest of several, and open times', () => {
    expect(nearness(0, [MAY, { from: Number.NEGATIVE_INFINITY, to: 1 }])).toBe(1)
    expect(nearness(MAY.to, [{ from: MAY.from, to: Number.POSITIVE_INFINITY }])).toBe(1)
    expect(nearness(0, [])).toBe(0)
    expect(nearness(Number.NaN, [MAY])).toBe(0)
  })
})
