import { describe, expect, it } from 'vitest'
import { contextCounts, DEFAULT_RANKING } from './options.ts'

describe('contextCounts', () => {
  it('is off with RRF, and where neither neighbours nor sessions add anything', () => {
    const of = (options: Partial<typeof DEFAULT_RANKING>) => contextCounts({ ...DEFAULT_RANKING, ...options })
    expect(of({})).toBe(true)
    expect(of({ method: 'RRF' })).toBe(false)
    expect(of({ neighbourDecay: 0 })).toBe(true)
    expect(of({ sessionShare: 0 })).toBe(true)
    expect(of({ neighbourDecay: 0, sessionShare: 0 })).toBe(false)
  })
})
