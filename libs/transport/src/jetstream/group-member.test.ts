import { describe, expect, it } from 'vitest'
import { createInFlight } from './group-member.ts'

/** Work that ends when told. */
function work() {
  let resolve = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<void>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve: () => resolve(), reject: (error: Error) => reject(error) }
}

/** Whether a promise has resolved after a turn of the event loop. */
async function isOver(promise: Promise<void>): Promise<boolean> {
  const turn = new Promise<'not yet'>((resolve) => setImmediate(() => resolve('not yet')))
  return (await Promise.race([promise.catch(() => 'not yet'), turn])) !== 'not yet'
}

describe('what is in flight', () => {
  it('is bounded in number', async () => {
    const inFlight = createInFlight(2, 1_000)
    const [one, two] = [work(), work()]
    inFlight.add(1, one.promise)
    await inFlight.room(1)
    inFlight.add(1, two.promise)
    const room = inFlight.room(1)
    expect(await isOver(room)).toBe(false)
    two.resolve()
    expect(await isOver(room)).toBe(true)
  })

  it('is bounded in bytes, and lets one that is larger go alone', async () => {
    const inFlight = createInFlight(10, 100)
    const large = work()
    await inFlight.room(500)
    inFlight.add(500, large.promise)
    const room = inFlight.room(1)
    expect(await isOver(room)).toBe(false)
    large.resolve()
    expect(await isOver(room)).toBe(true)
  })

  it('is empty when all arrived, and fails at the first failure whatever is still on its way', async () => {
    const inFlight = createInFlight(10, 100)
    const [one, two] = [work(), work()]
    inFlight.add(1, one.promise)
    inFlight.add(1, two.promise)
    const empty = inFlight.empty()
    one.resolve()
    expect(await isOver(empty)).toBe(false)
    two.reject(new Error('lost'))
    await expect(empty).rejects.toThrow('lost')
    await expect(inFlight.room(1)).rejects.toThrow('lost')
  })
})
