import { describe, expect, it } from 'vitest'
import { createWakeUp } from './wake-up.ts'

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
