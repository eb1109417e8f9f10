import { describe, expect, it } from 'vitest'
import { createPositionSignal, waitForPosition } from './position-signal.ts'

describe('waiting for a position', () => {
  it('ends at once where it is reached already', async () => {
    const began = Date.now()
    expect(await waitForPosition(async () => 7, 5, createPositionSignal())).toBe(7)
    expect(Date.now() - began).toBeLessThan(40)
  })

  it('says how far it came where the time runs out', async () => {
    const began = Date.now()
    expect(await waitForPosition(async () => 3, 5, createPositionSignal(), 120)).toBe(3)
    expect(Date.now() - began).toBeGreaterThanOrEqual(110)
    expect(Date.now() - began).toBeLessThan(400)
    expect(await waitForPosition(async () => 3, 5, createPositionSignal(), 0)).toBe(3)
  })

  it('hears of a move in its own process at once', async () => {
    const signal = createPositionSignal()
    let position = 1
    let reads = 0
    const waiting = waitForPosition(
      async () => {
        reads += 1
        return position
      },
      2,
      signal,
    )
    await new Promise((resolve) => setImmediate(resolve))
    position = 2
    const began = Date.now()
    signal.moved()
    expect(await waiting).toBe(2)
    expect(Date.now() - began).toBeLessThan(40)
    expect(reads).toBe(2)
  })

  it('does not miss a move while it reads', async () => {
    const signal = createPositionSignal()
    let position = 1
    const read = async () => {
      const seen = position
      if (position === 1) {
        position = 2
        signal.moved()
      }
      return seen
    }
    const began = Date.now()
    expect(await waitForPosition(read, 2, signal)).toBe(2)
    expect(Date.now() - began).toBeLessThan(40)
  })

  it('sees what another process moved, by looking', async () => {
    let reads = 0
    expect(await waitForPosition(async () => ++reads, 3, createPositionSignal())).toBe(3)
  })

  it('fails as the reading fails', async () => {
    const read = async () => {
      throw new Error('no database')
    }
    await expect(waitForPosition(read, 1, createPositionSignal())).rejects.toThrow('no database')
  })
})
