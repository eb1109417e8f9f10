import { describe, expect, it } from 'vitest'
import { backoffDelay, pause } from './backoff.ts'

describe('the delays of a backoff', () => {
  it('double up to the longest, each shortened by at most half', () => {
    for (const [attempt, full] of [
      [0, 50],
      [1, 100],
      [4, 800],
      [7, 5000],
      [10_000, 5000],
    ] as const) {
      const delays = Array.from({ length: 100 }, () => backoffDelay(attempt))
      expect(Math.min(...delays)).toBeGreaterThanOrEqual(full / 2)
      expect(Math.max(...delays)).toBeLessThanOrEqual(full)
      expect(new Set(delays).size).toBeGreaterThan(1)
    }
  })
})

describe('a pause', () => {
  it('ends early and quietly when it is aborted, before or meanwhile', async () => {
    const abort = new AbortController()
    const paused = pause(60_000, abort.signal)
    abort.abort()
    await expect(paused).resolves.toBeUndefined()
    await expect(pause(60_000, abort.signal)).resolves.toBeUndefined()
  })
})
