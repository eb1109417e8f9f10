import { describe, expect, it } from 'vitest'
import { nearness } from './time-match.ts'

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
