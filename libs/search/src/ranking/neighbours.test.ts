import { describe, expect, it } from 'vitest'
import {
  type Neighbourhood,
  type NeighboursShare,
  neighboursShare,
  poolNeighbourhoods,
} from './neighbours.ts'
import { DEFAULT_RANKING } from './options.ts'

const of = (memoryId: string, before: string[], after: string[]): Neighbourhood => ({
  memoryId,
  context: 'session',
  before,
  after,
})

describe('neighboursShare', () => {
  const known: Record<string, number> = { a: 0.5, b: 0.2, d: 0.8, e: 0.1 }
  const scoreOf = (id: string) => known[id] ?? 0
  const total = ({ neighbours, missing }: NeighboursShare) =>
    neighbours.reduce((sum, { contribution }) => sum + contribution, missing)

  it('is .4·(S₋₁ + S₊₁) + .16·(S₋₂ + S₊₂), of at most 1.12', () => {
    const share = neighboursShare(0.6, of('c', ['b', 'a', 'z'], ['d', 'e', 'f']), scoreOf, DEFAULT_RANKING)
    // .4·(.2 + .8) + .16·(.5 + .1) = .496
    expect(total(share)).toBeCloseTo(0.496, 12)
    expect(share.weight).toBeCloseTo(1.12, 12)
    expect(share.missing).toBe(0)
    expect(share.neighbours.map(({ memoryId, distance }) => [memoryId, distance])).toEqual([
      ['b', 1],
      ['d', 1],
      ['a', 2],
      ['e', 2],
    ])
  })

  it('counts half its own score for a neighbour that does not exist', () => {
    const share = neighboursShare(0.6, of('c', ['b'], []), scoreOf, DEFAULT_RANKING)
    // .4·(.2 + .3) + .16·(.3 + .3) = .296
    expect(total(share)).toBeCloseTo(0.296, 12)
    expect(share.missing).toBeCloseTo(0.4 * 0.3 + 0.16 * 0.6, 12)
  })

  it('counts nothing for a neighbour that is no candidate', () => {
    const share = neighboursShare(0.6, of('c', ['x', 'y'], ['z', 'w']), scoreOf, DEFAULT_RANKING)
    expect(share).toMatchObject({ neighbours: [], missing: 0 })
  })

  it('treats a memory without a context like one alone in its session', () => {
    const alone = neighboursShare(0.6, of('c', [], []), scoreOf, DEFAULT_RANKING)
    expect(neighboursShare(0.6, null, scoreOf, DEFAULT_RANKING)).toEqual(alone)
    // .5·.6·1.12
    expect(total(alone)).toBeCloseTo(0.336, 12)
  })
})

describe('poolNeighbourhoods', () => {
  it("derives a pooled neighbour's own two each side from three", () => {
    const pool = poolNeighbourhoods(['d'], new Map([['d', of('d', ['c', 'b', 'a'], ['e', 'f', 'g'])]]))
    expect([...pool.keys()].toSorted()).toEqual(['c', 'd', 'e'])
    expect(pool.get('c')).toEqual(of('c', ['b', 'a'], ['d', 'e']))
    expect(pool.get('e')).toEqual(of('e', ['d', 'c'], ['f', 'g']))
  })

  it('ends the derived neighbourhoods where the session ends', () => {
    const pool = poolNeighbourhoods(['b'], new Map([['b', of('b', ['a'], ['c', 'd'])]]))
    expect(pool.get('a')).toEqual(of('a', [], ['b', 'c']))
    expect(pool.get('c')).toEqual(of('c', ['b', 'a'], ['d']))
  })

  it('takes what is known of a candidate before what is derived', () => {
    const a = of('a', [], ['b', 'c', 'd'])
    const b = of('b', ['a'], ['c', 'd', 'e'])
    const pool = poolNeighbourhoods(
      ['b', 'a'],
      new Map([
        ['a', a],
        ['b', b],
      ]),
    )
    expect(pool.get('a')).toBe(a)
    expect(pool.get('b')).toBe(b)
    expect(pool.get('c')).toEqual(of('c', ['b', 'a'], ['d', 'e']))
  })

  it('derives that of a candidate that was not looked up, too, and goes no farther from there', () => {
    const [b, c] = [of('b', ['a'], ['c', 'd', 'e']), of('c', ['b', 'a'], ['d', 'e'])]
    const lookedUp = poolNeighbourhoods(['b', 'c', 'x'], new Map([['b', b]]))
    expect([...lookedUp.keys()].toSorted()).toEqual(['a', 'b', 'c', 'x'])
    expect(lookedUp.get('c')).toEqual(poolNeighbourhoods(['b'], new Map([['b', b]])).get('c'))
    expect(lookedUp.get('x')).toBeNull()
    expect(
      poolNeighbourhoods(
        ['b', 'c'],
        new Map([
          ['b', b],
          ['c', c],
        ]),
      ).get('c'),
    ).toEqual(c)
  })

  it('adds nothing to memories without a context', () => {
    expect([...poolNeighbourhoods(['a', 'b'], new Map([['a', null]]))]).toEqual([
      ['a', null],
      ['b', null],
    ])
  })
})
