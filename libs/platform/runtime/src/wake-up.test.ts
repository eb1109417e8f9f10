import { describe, expect, it } from 'vitest'
import { createWakeUp } from './wake-up.ts'

const LONG = 60_000

async function tookMs(run: Promise<unknown>): Promise<number> {
  const began = performance.now()
  await run
  return performance.now() - began
}

describe('a wake-up', () => {
  it('ends a wait at once', async () => {
    const wakeUp = createWakeUp()
    setTimeout(wakeUp.raise, 20)
    expect(await tookMs(wakeUp.wait(LONG))).toBeLessThan(5000)
  })

  it('raised while nobody waits is remembered once', async () => {
    const wakeUp = createWakeUp()
    wakeUp.raise()
    wakeUp.raise()
    expect(await tookMs(wakeUp.wait(LONG))).toBeLessThan(5000)
    expect(await tookMs(wakeUp.wait(50))).toBeGreaterThan(40)
  })

  it('that never comes ends the wait after its time', async () => {
    expect(await tookMs(createWakeUp().wait(50))).toBeGreaterThan(40)
  })

  it('is not lost when it comes between two waits', async () => {
    const wakeUp = createWakeUp()
    await wakeUp.wait(1)
    wakeUp.raise()
    expect(await tookMs(wakeUp.wait(LONG))).toBeLessThan(5000)
  })
})
