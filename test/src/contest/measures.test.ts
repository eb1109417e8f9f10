import { describe, expect, it } from 'vitest'
import type { Group } from '../eval/collection.ts'
import { fitWeights, rankedBy } from './fit.ts'
import { meansByKind, meansOf, sessionRecallAt, sessionsOf } from './measures.ts'

const memory = (id: string, context?: string) => ({ id, input: context === undefined ? {} : { context } })
const question = (id: string, category: string, ...relevant: readonly string[]) => ({
  id,
  text: id,
  category,
  relevant: new Map(relevant.map((one) => [one, 1])),
})
const GROUP: Group = {
  name: 'talk',
  memories: [memory('a1', 'a'), memory('a2', 'a'), memory('b1', 'b'), memory('c1', 'c')],
  questions: [question('one', 'single', 'a1'), question('two', 'several', 'a1', 'b1')],
}
const [one, two] = GROUP.questions as [Group['questions'][number], Group['questions'][number]]

describe('recall by sessions', () => {
  const sessions = sessionsOf(GROUP) ?? new Map<string, string>()

  it('finds a session by any of its memories, and counts it once', () => {
    expect(sessionRecallAt(5, ['a2', 'a1'], one.relevant, sessions)).toBe(1)
    expect(sessionRecallAt(5, ['a2', 'c1'], two.relevant, sessions)).toBe(0.5)
    expect(sessionRecallAt(5, ['c1'], two.relevant, sessions)).toBe(0)
  })

  it('looks at the first k memories, not at k sessions', () => {
    expect(sessionRecallAt(2, ['a2', 'a1', 'b1'], two.relevant, sessions)).toBe(0.5)
  })

  it('is not measured where there are no sessions', () => {
    expect(sessionsOf({ memories: [memory('x'), memory('y')] })).toBeNull()
    expect(sessionsOf({ memories: [memory('x', 'same'), memory('y', 'same')] })).toBeNull()
  })
})

describe('means', () => {
  const answers = [
    { group: GROUP, question: one, found: ['a2', 'a1'] },
    { group: GROUP, question: two, found: ['b1'] },
  ]

  it('are over questions, for each depth', () => {
    expect(meansOf(answers)).toEqual({
      questions: 2,
      recall: [0.75, 0.75, 0.75],
      sessions: [0.75, 0.75, 0.75],
      ndcg10: 0.622,
      mrr: 0.75,
    })
  })

  it('are also by kind', () => {
    const { all, kinds } = meansByKind(answers)
    expect(all.questions).toBe(2)
    expect(kinds['single']?.recall).toEqual([1, 1, 1])
    expect(kinds['several']?.mrr).toBe(1)
  })
})

describe('fitted weights', () => {
  /** The first term tells the right one, the second the wrong one, the third nothing. */
  const cases = Array.from({ length: 20 }, (_, index) => ({
    relevant: new Map([['right', 1]]),
    candidates: [
      { id: 'other', values: [0.1 * (index % 3), 1, 0.5] },
      { id: 'right', values: [1 + 0.1 * (index % 5), 0.2, 0.5] },
    ],
  }))

  it('put the relevant first', () => {
    const weights = fitWeights([cases])
    expect(weights[0]).toBeGreaterThan(0)
    expect(weights[1]).toBeLessThan(0)
    expect(Math.abs(weights[2] ?? 1)).toBeLessThan(1e-6)
    expect(rankedBy(weights, cases)).toEqual({ recall10: 1, ndcg10: 1 })
    expect(rankedBy([-1, 0, 0], cases).ndcg10).toBeCloseTo(0.6309, 3)
  })

  it('take no notice of questions without a right candidate, which still count as not found', () => {
    const lost = { relevant: new Map([['nowhere', 1]]), candidates: cases[0]?.candidates ?? [] }
    expect(fitWeights([[...cases, lost]])).toEqual(fitWeights([cases]))
    expect(rankedBy(fitWeights([cases]), [lost, ...cases.slice(0, 1)]).recall10).toBe(0.5)
  })
})
