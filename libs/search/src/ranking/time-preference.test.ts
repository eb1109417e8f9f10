import { describe, expect, it } from 'vitest'
import type { RankedHit } from './rank.ts'
import { nearness, preferTimes } from './time-preference.ts'

const DAY = 86_400_000
const MAY = { from: Date.UTC(2026, 4, 1), to: Date.UTC(2026, 5, 1) }

const hit = (memoryId: string, score: number): RankedHit => ({
  memoryId,
  score,
  matchType: 'HYBRID',
  explanation: {
    method: 'DEFAULT',
    retrievers: [],
    terms: [],
    neighbours: [],
    missingNeighbours: 0,
    session: null,
    ownScore: score / 0.5,
    scale: 0.5,
    score,
  },
})

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
  })
})

describe('preferTimes', () => {
  const ranked = [hit('april', 0.9), hit('unknown', 0.8), hit('may', 0.6), hit('day after', 0.5)]
  const times: Record<string, number> = {
    april: MAY.from - 25 * DAY,
    may: MAY.from,
    'day after': MAY.to + DAY - 1,
  }

  it('lifts what is of the time above what is not, and what is near it too', () => {
    const preferred = preferTimes(ranked, [MAY], (id) => times[id])
    expect(preferred.map(({ memoryId }) => memoryId)).toEqual(['may', 'april', 'unknown', 'day after'])
    expect(preferred[0]).toEqual(ranked[2])
    expect(preferred[2]?.score).toBeCloseTo(0.8 / 1.8, 12)
    expect(preferred[3]?.score).toBeCloseTo((0.5 * (1 + 0.8 * Math.exp(-1 / 3))) / 1.8, 6)
  })

  it('keeps explanations adding up', () => {
    for (const { score, explanation } of preferTimes(ranked, [MAY], (id) => times[id])) {
      expect(explanation.score).toBe(score)
      expect(explanation.ownScore * explanation.scale).toBeCloseTo(score, 12)
    }
  })

  it('changes nothing without a time in the question, or without a hit near it', () => {
    expect(preferTimes(ranked, [], (id) => times[id])).toBe(ranked)
    expect(preferTimes(ranked, [MAY], () => undefined)).toEqual(ranked)
    expect(preferTimes(ranked, [MAY], () => 0)).toEqual(ranked)
  })

  it('orders equals by id', () => {
    const equal = [hit('b', 0.5), hit('a', 0.5)]
    expect(preferTimes(equal, [MAY], () => MAY.from).map(({ memoryId }) => memoryId)).toEqual(['a', 'b'])
  })
})
