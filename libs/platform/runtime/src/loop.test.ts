import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { createActivity, createWakeUp, type Loop, startLoop, UNTIL_WOKEN } from './loop.ts'

describe('a loop', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(async () => {
    const ended = Promise.all(loops.splice(0).map((loop) => loop.stop()))
    await vi.runAllTimersAsync()
    await ended
    vi.useRealTimers()
    vi.restoreAllMocks()
  })
  const loops: Loop[] = []
  /** Counts rounds. @param round what each does, by its number from 1 */
  function looping(
    options: Partial<Parameters<typeof startLoop>[1]>,
    round: (count: number) => Promise<number | void> = async () => {},
  ) {
    const errors: unknown[] = []
    const counted = { rounds: 0, errors }
    const loop = startLoop(() => round((counted.rounds += 1)), {
      everyMs: 10,
      onError: (error) => errors.push(error),
      ...options,
    })
    loops.push(loop)
    return { loop, counted }
  }
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  it('comes again, after rounds that failed too, and tells of each failure', async () => {
    const { loop, counted } = looping({}, async (count) => {
      if (count === 2) throw new Error('this one fails')
    })
    await pass(30)
    expect(counted).toEqual({ rounds: 4, errors: [new Error('this one fails')] })
    await loop.stop()
    await pass(100)
    expect(counted.rounds).toBe(4)
  })

  it('waits longer and longer while its rounds fail, whoever wakes it, and not after one that succeeds', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(1)
    const { loop, counted } = looping({ backoff: { firstMs: 100, maxMs: 1_000 } }, async (count) => {
      if (count < 3) throw new Error('away')
    })
    for (const [ms, rounds] of [
      [99, 1],
      [2, 2],
      [198, 2],
      [2, 3],
    ] as const) {
      loop.wake()
      await pass(ms)
      expect(counted.rounds).toBe(rounds)
    }
    await pass(10)
    expect(counted.rounds).toBe(4)
  })

  it('is woken at once, at a time, and for what came during a round', async () => {
    const { loop, counted } = looping({}, async (count) => {
      if (count === 2) loop.wake()
      return UNTIL_WOKEN
    })
    await pass(1_000)
    expect(counted.rounds).toBe(1)
    loop.wake()
    await pass(1)
    expect(counted.rounds).toBe(3)
    loop.wake(500)
    loop.wake(2 ** 40)
    await pass(499)
    expect(counted.rounds).toBe(3)
    await pass(2)
    expect(counted.rounds).toBe(4)
    // No timer lasts so long.
    loop.wake(2 ** 32)
    await pass(2 ** 32 - 1)
    expect(counted.rounds).toBe(4)
    await pass(2)
    expect(counted.rounds).toBe(5)
  })

  it('rests while the process is idle, but not beyond a time that it was told, and goes on when something happens', async () => {
    const activity = createActivity({ idleAfterMs: 0, idleMs: 60_000 })
    await pass(1)
    const { loop, counted } = looping({ activity, later: true })
    await pass(10_000)
    expect(counted.rounds).toBe(0)
    loop.wake(5_000)
    await pass(5_001)
    expect(counted.rounds).toBe(1)
    await pass(20_000)
    expect(counted.rounds).toBe(1)
    activity.touch()
    await pass(1)
    expect(counted.rounds).toBe(2)
  })

  it('lets the round under way end before it stops, and tells it', async () => {
    const order: string[] = []
    const loop = startLoop(
      async (stopping) => {
        stopping.addEventListener('abort', () => order.push('told'))
        await new Promise((resolve) => setTimeout(resolve, 50))
        order.push('ended')
      },
      { everyMs: 10, onError: () => {} },
    )
    await pass(20)
    const stopped = loop.stop().then(() => order.push('stopped'))
    await pass(100)
    await stopped
    expect(order).toEqual(['told', 'ended', 'stopped'])
  })
})

it('while nobody does anything, polls are rarer', () => {
  vi.useFakeTimers()
  const activity = createActivity({ idleAfterMs: 30, idleMs: 60_000 })
  vi.advanceTimersByTime(30)
  expect(activity.interval(5)).toBe(5)
  vi.advanceTimersByTime(1)
  expect(activity.interval(5)).toBe(60_000)
  vi.useRealTimers()
})

/** Longer than a test may take. */
const NEVER = 2 ** 31 - 1

async function tookMs(run: Promise<unknown>): Promise<number> {
  const began = performance.now()
  await run
  return performance.now() - began
}

describe('a wake-up', () => {
  it('ends a wait at once', async () => {
    const wakeUp = createWakeUp()
    setTimeout(wakeUp.raise, 20)
    await expect(wakeUp.wait(NEVER)).resolves.toBeUndefined()
  })

  it('raised while nobody waits is remembered once', async () => {
    const wakeUp = createWakeUp()
    wakeUp.raise()
    wakeUp.raise()
    await wakeUp.wait(NEVER)
    expect(await tookMs(wakeUp.wait(50))).toBeGreaterThan(40)
  })

  it('ends a wait when the signal is aborted, before or meanwhile', async () => {
    const ending = new AbortController()
    const wakeUp = createWakeUp()
    const waiting = wakeUp.wait(NEVER, ending.signal)
    ending.abort()
    await expect(waiting).resolves.toBeUndefined()
    await expect(wakeUp.wait(NEVER, ending.signal)).resolves.toBeUndefined()
  })

  it('that never comes ends the wait after its time', async () => {
    expect(await tookMs(createWakeUp().wait(50))).toBeGreaterThan(40)
  })

  it('is not lost when it comes between two waits', async () => {
    const wakeUp = createWakeUp()
    await wakeUp.wait(1)
    wakeUp.raise()
    await expect(wakeUp.wait(NEVER)).resolves.toBeUndefined()
  })
})
