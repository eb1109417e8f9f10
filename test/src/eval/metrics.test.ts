import { describe, expect, it } from 'vitest'
import { mean, ndcgAt, recallAt, reciprocalRank } from './metrics.ts'

const relevant = new Map([
  ['a', 3],
  ['b', 2],
  ['c', 1],
])

describe('recallAt', () => {
  it('is the share of the relevant among the first k', () => {
    expect(recallAt(1, ['a', 'x', 'b'], relevant)).toBeCloseTo(1 / 3, 12)
    expect(recallAt(2, ['a', 'x', 'b'], relevant)).toBeCloseTo(1 / 3, 12)
    expect(recallAt(3, ['a', 'x', 'b'], relevant)).toBeCloseTo(2 / 3, 12)
    expect(recallAt(10, ['c', 'b', 'a'], relevant)).toBe(1)
  })

  it('counts a memory once however often it is found', () => {
    expect(recallAt(5, ['a', 'a', 'a'], relevant)).toBeCloseTo(1 / 3, 12)
  })

  it('is 0 where nothing was found or nothing is relevant', () => {
    expect(recallAt(10, [], relevant)).toBe(0)
    expect(recallAt(10, ['a'], new Map())).toBe(0)
  })
})

describe('ndcgAt', () => {
  it('is 1 in the best order, and stays 1 with others behind', () => {
    expect(ndcgAt(10, ['a', 'b', 'c', 'x'], relevant)).toBeCloseTo(1, 12)
  })

  it('divides the discounted grades by those of the best order', () => {
    // found: 0/1 + 1/1.58496 + 0 + 3/2.32193 = .63093 + 1.29203 = 1.92296
    // best:  3/1 + 2/1.58496 + 1/2 = 3 + 1.26186 + .5 = 4.76186
    expect(ndcgAt(10, ['x', 'c', 'y', 'a'], relevant)).toBeCloseTo(0.403825, 6)
  })

  it('looks at the first k only, in the best order too', () => {
    // k = 2: found 0 + 1/1.58496 = .63093, best 3 + 1.26186 = 4.26186
    expect(ndcgAt(2, ['x', 'c', 'y', 'a'], relevant)).toBeCloseTo(0.148041, 6)
  })

  it('with one relevant memory is 1 / log2(rank + 1)', () => {
    expect(ndcgAt(10, ['x', 'y', 'a'], new Map([['a', 1]]))).toBeCloseTo(0.5, 12)
  })

  it('is 0 where nothing is relevant', () => {
    expect(ndcgAt(10, ['a'], new Map())).toBe(0)
  })
})

describe('reciprocalRank', () => {
  it('is 1 / the rank of the first relevant', () => {
    expect(reciprocalRank(['x', 'y', 'c', 'a'], relevant)).toBeCloseTo(1 / 3, 12)
    expect(reciprocalRank(['b'], relevant)).toBe(1)
    expect(reciprocalRank(['x'], relevant)).toBe(0)
  })
})

it('mean of nothing is 0', () => {
  expect(mean([])).toBe(0)
  expect(mean([1, 2, 6])).toBe(3)
})
