import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createPositionSignal, createReachedPositions, waitForPosition } from './positions.ts'

/** The outcomes of the waits so far. */
async function settled(waits: readonly Promise<void>[]): Promise<string[]> {
  return Promise.all(
    waits.map((wait) =>
      Promise.race([
        wait.then(
          () => 'reached',
          () => 'given up',
        ),
        new Promise<string>((resolve) => setImmediate(() => resolve('waiting'))),
      ]),
    ),
  )
}

it('lets those go whose place has been reached, in their project only', async () => {
  const reached = createReachedPositions()
  const waits = [reached.wait('a', 1), reached.wait('a', 3), reached.wait('a', 4), reached.wait('b', 1)]
  reached.moved('a', 3)
  expect(await settled(waits)).toEqual(['reached', 'reached', 'waiting', 'waiting'])
  reached.moved('a', 2)
  reached.moved('b', 7)
  expect(await settled(waits)).toEqual(['reached', 'reached', 'waiting', 'reached'])
})

it('tells those who still wait at the end that it came to nothing', async () => {
  const reached = createReachedPositions()
  const waits = [reached.wait('a', 1), reached.wait('b', 1)]
  reached.moved('a', 1)
  reached.giveUp()
  expect(await settled(waits)).toEqual(['reached', 'given up'])
})

describe('waiting for a position', () => {
  // Time stands still unless a test moves it, so what ends has not waited for it.
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  it('ends at once where it is reached already', async () => {
    expect(await waitForPosition(async () => 7, 5, createPositionSignal())).toBe(7)
  })

  it('says how far it came where the time runs out', async () => {
    const came = vi.fn<(position: number) => void>()
    const waiting = waitForPosition(async () => 3, 5, createPositionSignal(), 120).then(came)
    await vi.advanceTimersByTimeAsync(119)
    expect(came).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await waiting
    expect(came).toHaveBeenCalledWith(3)
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
    expect(reads).toBe(1)
    position = 2
    signal.moved()
    expect(await waiting).toBe(2)
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
    expect(await waitForPosition(read, 2, signal)).toBe(2)
  })

  it('sees what another process moved, by looking', async () => {
    let reads = 0
    const waiting = waitForPosition(async () => ++reads, 3, createPositionSignal())
    await vi.advanceTimersByTimeAsync(100)
    expect(await waiting).toBe(3)
  })

  it('fails as the reading fails', async () => {
    const read = async () => {
      throw new Error('no database')
    }
    await expect(waitForPosition(read, 1, createPositionSignal())).rejects.toThrow('no database')
  })
})
