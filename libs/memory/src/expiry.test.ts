import { describe, expect, it } from 'vitest'
import { decayWeight } from './expiry.ts'

const USED = '2026-05-01T00:00:00.000Z'

const daysLater = (days: number) => Date.parse(USED) + days * 86_400_000

describe('the weight of a memory', () => {
  it('halves every 30 days', () => {
    expect(decayWeight(USED, daysLater(0))).toBe(1)
    expect(decayWeight(USED, daysLater(30))).toBe(0.5)
    expect(decayWeight(USED, daysLater(60))).toBe(0.25)
  })

  it('halves after another half-life, if one is set', () => {
    expect(decayWeight(USED, daysLater(7), 7 * 86_400_000)).toBe(0.5)
    expect(decayWeight(Date.parse(USED), daysLater(30))).toBe(0.5)
  })

  it('is never more than 1, whatever the clocks say', () => {
    expect(decayWeight(USED, daysLater(-10))).toBe(1)
  })
})
