import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RankingTerm } from './ablation.ts'
import { fuse } from './fuse.ts'
import type { Neighbourhood } from './neighbours.ts'
import { DEFAULT_RANKING, NO_PRIORS, type RankingOptions } from './options.ts'
import { type RankInput, rank } from './rank.ts'
import { retrieverCandidates } from './retriever.ts'

/** Thirty memories: the first twenty in sessions, the others without a context. */
const IDS = Array.from({ length: 30 }, (_, index) => `m${index}`)

const retriever = (score: fc.Arbitrary<number>) =>
  fc
    .uniqueArray(fc.tuple(fc.constantFrom(...IDS), score), { selector: ([id]) => id, maxLength: 20 })
    .map((hits) => hits.map(([memoryId, each]) => ({ memoryId, score: each })))
/** Eighths: exact, and with many equal values. */
const lexicalRetriever = retriever(fc.integer({ min: 1, max: 80 }).map((eighths) => eighths / 8))
const vectorRetriever = retriever(fc.double({ min: -1, max: 1, noNaN: true }))

const neighbourhoods = fc
  .array(fc.integer({ min: 1, max: 7 }), { minLength: 3, maxLength: 8 })
  .map((sizes) => {
    const map = new Map<string, Neighbourhood>()
    let start = 0
    for (const size of sizes) {
      const session = IDS.slice(start, Math.min(20, start + size))
      start += size
      for (const [at, memoryId] of session.entries()) {
        const before = session.slice(Math.max(0, at - 3), at).toReversed()
        map.set(memoryId, {
          memoryId,
          context: `from ${session[0]}`,
          before,
          after: session.slice(at + 1, at + 4),
        })
      }
    }
    return map
  })

const share = fc.double({ min: 0, max: 1, noNaN: true })
const options: fc.Arbitrary<RankingOptions> = fc.record({
  method: fc.constantFrom('DEFAULT', 'RRF'),
  lateInteraction: fc.boolean(),
  lexicalWeight: fc.double({ min: 0.01, max: 1, noNaN: true }),
  vectorWeight: share,
  candidatesPerRetriever: fc.integer({ min: 1, max: 20 }),
  neighbourDecay: share,
  missingNeighbourShare: share,
  sessionShare: share,
  priors: fc.constant(NO_PRIORS),
  rrfK: fc.integer({ min: 0, max: 100 }),
  without: fc.constant(new Set<RankingTerm>()),
})

const input: fc.Arbitrary<RankInput> = fc.record({
  lexical: fc.option(lexicalRetriever),
  vector: fc.option(vectorRetriever),
  neighbourhoods,
  eligible: fc.subarray(IDS).map((ids) => (id: string) => ids.includes(id)),
  options,
  limit: fc.constant(100),
})

const ids = (hits: readonly { memoryId: string }[]) => hits.map(({ memoryId }) => memoryId)
const sum = (parts: readonly { contribution: number }[]) =>
  parts.reduce((total, part) => total + part.contribution, 0)

describe('for any retrievers, sessions and options', () => {
  it('scores lie within 0 and 1, descend, and every memory comes once', () => {
    fc.assert(
      fc.property(input, (given) => {
        const hits = rank(given)
        expect(hits.every(({ score }) => score >= 0 && score <= 1)).toBe(true)
        expect(hits.map(({ score }) => score)).toEqual(
          hits.map(({ score }) => score).toSorted((a, b) => b - a),
        )
        expect(new Set(ids(hits)).size).toBe(hits.length)
      }),
    )
  })

  it('explanations add up', () => {
    fc.assert(
      fc.property(input, (given) => {
        for (const { score, explanation } of rank(given)) {
          const { retrievers, neighbours, missingNeighbours, session, ownScore, scale } = explanation
          expect(Math.abs(sum(retrievers) - ownScore)).toBeLessThan(1e-9)
          expect(
            Math.abs(
              scale * (ownScore + sum(neighbours) + missingNeighbours + (session?.contribution ?? 0)) - score,
            ),
          ).toBeLessThan(1e-9)
          expect(explanation.score).toBe(score)
          for (const { weight, normalisedScore, contribution } of retrievers)
            expect(contribution).toBe(weight * normalisedScore)
        }
      }),
    )
  })

  it('every candidate is there, and else only eligible memories', () => {
    fc.assert(
      fc.property(input, (given) => {
        const candidates = fuse(given, given.options)
        const found = ids(rank(given))
        expect(found).toEqual(expect.arrayContaining([...candidates.keys()]))
        expect(found.filter((id) => !candidates.has(id)).every(given.eligible)).toBe(true)
      }),
    )
  })

  it('the order of the map and of lists does not matter', () => {
    fc.assert(
      fc.property(input, (given) => {
        const turned = new Map([...given.neighbourhoods].toReversed())
        const lexical = given.lexical?.toReversed() ?? null
        const vector = given.vector?.toReversed() ?? null
        expect(rank({ ...given, neighbourhoods: turned, lexical, vector })).toEqual(rank(given))
      }),
    )
  })

  it('the neighbourhoods of the candidates are enough', () => {
    fc.assert(
      fc.property(input, (given) => {
        const candidates = fuse(given, given.options)
        const needed = new Map([...given.neighbourhoods].filter(([id]) => candidates.has(id)))
        expect(rank({ ...given, neighbourhoods: needed })).toEqual(rank(given))
      }),
    )
  })

  it('a smaller limit gives the start of the same list', () => {
    fc.assert(
      fc.property(input, fc.nat(10), (given, limit) => {
        expect(rank({ ...given, limit })).toEqual(rank(given).slice(0, limit))
      }),
    )
  })
})

describe('without what stands beside', () => {
  it('λ = 0 and σ = 0 is the order of plain fusion', () => {
    fc.assert(
      fc.property(input, (given) => {
        const flat = { ...given.options, neighbourDecay: 0, sessionShare: 0 }
        const fused = [...fuse(given, flat).values()]
        const expected = fused.toSorted((a, b) => b.score - a.score || (a.memoryId < b.memoryId ? -1 : 1))
        expect(rank({ ...given, options: flat }).map(({ memoryId, score }) => [memoryId, score])).toEqual(
          expected.map(({ memoryId, score }) => [memoryId, score]),
        )
      }),
    )
  })

  it('the lexical retriever alone keeps its order where nothing has a context', () => {
    fc.assert(
      fc.property(lexicalRetriever, (lexical) => {
        const alone = { lexical, vector: null, neighbourhoods: new Map(), eligible: () => true, limit: 100 }
        expect(ids(rank({ ...alone, options: DEFAULT_RANKING }))).toEqual(
          ids(retrieverCandidates(lexical, 100)),
        )
      }),
    )
  })
})
