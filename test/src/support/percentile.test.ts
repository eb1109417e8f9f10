import { describe, expect, it } from 'vitest'
import { percentile } from './percentile.ts'

describe('percentile', () => {
  it('is the nearest rank', () => {
    const values = [40, 10, 30, 20]
    expect(percentile(values, 0.5)).toBe(20)
    expect(percentile(values, 0.75)).toBe(30)
    expect(percentile(values, 0.95)).toBe(40)
    expect(percentile(values, 0)).toBe(10)
    expect(percentile([], 0.5)).toBe(0)
  })
})
