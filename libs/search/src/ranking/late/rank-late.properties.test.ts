import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { RANKING_TERMS } from '../ablation.ts'
import { evidenceOf } from '../floor.ts'
import type { Neighbourhood } from '../neighbours.ts'
import { retrieverCandidates } from '../retriever.ts'
import { evidenceIn, type RankLateInput, rankLate } from './rank-late.ts'
import type { TokenMatches } from './token-rows.ts'

/** Thirty memories: the first twenty in sessions of five, the others without a context. */
const IDS = Array.from({ length: 30 }, (_, index) => `m${index}`)

const NEIGHBOURHOODS = new Map<string, Neighbourhood>(
  IDS.slice(0, 20).map((memoryId, at) => {
    const start = at - (at % 5)
    const session = IDS.slice(start, start + 5)
    return [
      memoryId,
      {
        memoryId,
        context: `from m${start}`,
        before: session.slice(Math.max(0, at - start - 3), at - start).toReversed(),
        after: session.slice(at - start + 1, at - start + 4),
      },
    ]
  }),
)

const share = fc.double({ min: 0, max: 1, noNaN: true })
/** Some are equal. */
const scores = fc.oneof(share, fc.constantFrom(0.25, 0.5))
const hits = (score: fc.Arbitrary<number>) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...IDS), score), { selector: ([id]) => id, maxLength: 15 })
    .map((found) => found.map(([memoryId, each]) => ({ memoryId, score: each })))

const TOKENS = 4
const row: fc.Arbitrary<TokenMatches> = fc.record({
  best: fc
    .array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: TOKENS, maxLength: TOKENS })
    .map((best) => Float32Array.from(best)),
  tokens: fc.integer({ min: 0, max: 5000 }),
})
const input: fc.Arbitrary<RankLateInput> = fc.record({
  weightedTokens: fc
    .array(fc.double({ min: 0, max: 8, noNaN: true }), { minLength: TOKENS, maxLength: TOKENS })
    .map((weights) => weights.map((weight, at) => ({ word: `word${at % 3}`, weight }))),
  matches: fc
    .array(fc.tuple(fc.constantFrom(...IDS), row), { maxLength: 40 })
    .map((entries) => new Map(entries)),
  lexical: fc.option(hits(scores.map((each) => each * 20))),
  vector: fc.option(hits(scores)),
  neighbourhoods: fc.constant(NEIGHBOURHOODS),
  eligible: fc.subarray(IDS).map((ids) => (id: string) => ids.includes(id)),
  timeMatch: fc.double({ min: 0, max: 1, noNaN: true }).map((match) => () => match),
  isSpokenByNamed: fc.subarray(IDS).map((ids) => (id: string) => ids.includes(id)),
  candidatesPerRetriever: fc.integer({ min: 1, max: 20 }),
  without: fc.subarray([...RANKING_TERMS], { maxLength: 2 }).map((terms) => new Set(terms)),
  limit: fc.constant(100),
})

const candidatesOf = ({ lexical, vector, candidatesPerRetriever }: RankLateInput) =>
  new Set(
    [lexical, vector].flatMap((found) =>
      retrieverCandidates(found ?? [], candidatesPerRetriever).map(({ memoryId }) => memoryId),
    ),
  )
const property = (check: (given: RankLateInput) => void) => fc.assert(fc.property(input, check))

describe('for any rows, retrievers and sessions', () => {
  it('scores lie within 0 and 1, descend, and every memory comes once', () => {
    property((given) => {
      const found = rankLate(given)
      const all = found.map(({ score }) => score)
      expect(all.every((score) => score >= 0 && score <= 1)).toBe(true)
      expect(all).toEqual(all.toSorted((a, b) => b - a))
      expect(new Set(found.map(({ memoryId }) => memoryId)).size).toBe(found.length)
    })
  })

  it('the terms add up to the log-odds of the score', () => {
    property((given) => {
      for (const { score, explanation } of rankLate(given)) {
        const sum = explanation.terms.reduce((total, { contribution }) => total + contribution, 0)
        expect(Math.abs(1 / (1 + Math.exp(-sum)) - score)).toBeLessThan(1e-12)
        expect(explanation.score).toBe(score)
        for (const { value, weight, contribution } of explanation.terms)
          expect(contribution).toBe(value * weight)
      }
    })
  })

  it('what a retriever contributed is the term of its name', () => {
    property((given) => {
      for (const { explanation } of rankLate(given))
        for (const { retriever, contribution } of explanation.retrievers) {
          const name = retriever === 'lexical' ? 'words' : 'vector'
          expect(contribution).toBe(explanation.terms.find((term) => term.name === name)?.contribution)
        }
    })
  })

  it('every candidate is there, with or without a row, and else only eligible neighbours', () => {
    property((given) => {
      const candidates = candidatesOf(given)
      const found = rankLate(given).map(({ memoryId }) => memoryId)
      expect(found).toEqual(expect.arrayContaining([...candidates]))
      expect(found.filter((id) => !candidates.has(id)).every(given.eligible)).toBe(true)
    })
  })

  it('the order of maps and lists does not matter', () => {
    property((given) => {
      const turned = {
        ...given,
        matches: new Map([...given.matches].toReversed()),
        neighbourhoods: new Map([...given.neighbourhoods].toReversed()),
        lexical: given.lexical?.toReversed() ?? null,
        vector: given.vector?.toReversed() ?? null,
      }
      expect(rankLate(turned)).toEqual(rankLate(given))
    })
  })

  it('the neighbourhoods of the candidates and the rows of the pool are enough', () => {
    property((given) => {
      const all = rankLate(given)
      const pool = new Set(all.map(({ memoryId }) => memoryId))
      const candidates = candidatesOf(given)
      const needed = {
        ...given,
        matches: new Map([...given.matches].filter(([id]) => pool.has(id))),
        neighbourhoods: new Map([...given.neighbourhoods].filter(([id]) => candidates.has(id))),
      }
      expect(rankLate(needed)).toEqual(all)
    })
  })

  it('a smaller limit gives the start of the same list', () => {
    fc.assert(
      fc.property(input, fc.nat(10), (given, limit) => {
        expect(rankLate({ ...given, limit })).toEqual(rankLate(given).slice(0, limit))
      }),
    )
  })

  it('the evidence is that of all hits, however few are shown', () => {
    property((given) => {
      expect(evidenceIn(given, given.weightedTokens)).toEqual(evidenceOf(rankLate(given)))
    })
  })

  it('a memory elsewhere changes the others’ scores only by the size of the pool', () => {
    fc.assert(
      fc.property(input, row, (given, extra) => {
        const one = { ...given, candidatesPerRetriever: 20, vector: given.vector ?? [] }
        const farthest = Math.min(...one.vector.map(({ score }) => score), 1)
        const more = {
          ...one,
          vector: [...one.vector, { memoryId: 'other', score: one.vector.length > 0 ? farthest : 0 }],
          matches: new Map([...given.matches, ['other', extra]]),
        }
        const values = (changed: RankLateInput) =>
          new Map(
            rankLate(changed).map(({ memoryId, explanation }) => [
              memoryId,
              explanation.terms.filter(({ name }) => name !== 'pool'),
            ]),
          )
        const after = values(more)
        for (const [memoryId, terms] of values(one)) expect(after.get(memoryId)).toEqual(terms)
      }),
    )
  })
})
