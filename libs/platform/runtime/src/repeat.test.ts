import { describe, expect, it } from 'vitest'
import { createPace, createWakeUp } from './repeat.ts'

describe('a pace', () => {
  /** Work whose pieces take as long as they are told, on a fake clock. */
  function paced() {
    let clock = 0
    const rests: number[] = []
    const pace = createPace({
      now: () => clock,
      rest: async (ms) => {
        rests.push(Math.round(ms))
      },
    })
    const take = (ms: number, units = 100) =>
      pace.step(units, async () => {
        clock += ms
        return ms
      })
    return { take, rests }
  }

  it('rests never while the work goes as fast as it can', async () => {
    const { take, rests } = paced()
    for (const ms of [100, 100, 150, 90, 170]) expect(await take(ms)).toBe(ms)
    expect(rests).toEqual([])
  })

  it('rests the longer, the slower the work became, and not for ever', async () => {
    const { take, rests } = paced()
    await take(100)
    for (const ms of [150, 210, 300, 900, 3_000]) await take(ms)
    const [first, second, third, fourth] = rests
    expect(rests).toHaveLength(4)
    expect(first).toBeGreaterThan(210)
    expect(second).toBeGreaterThan(580)
    expect([third, fourth]).toEqual([1_000, 1_000])
  })

  it('compares pieces of different size by their units', async () => {
    const { take, rests } = paced()
    await take(100, 100)
    await take(1_000, 1_000)
    await take(10, 10)
    expect(rests).toEqual([])
    await take(100, 10)
    expect(rests).toEqual([400])
  })

  it('forgets a lucky measurement', async () => {
    const { take, rests } = paced()
    await take(10)
    for (let piece = 0; piece < 2_000; piece += 1) await take(100)
    const before = rests.length
    await take(100)
    expect(rests.length).toBe(before)
  })

  it('gives failures on, and measures nothing by them', async () => {
    const pace = createPace()
    const failing = pace.step(1, () => Promise.reject(new Error('the database is unavailable')))
    await expect(failing).rejects.toThrow('the database is unavailable')
  })
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
