import { describe, expect, it, test, vi } from 'vitest'
import { createPace, forEachAtOnce, withTimeout, yieldToEventLoop } from './timers.ts'

test('what comes in time comes through, failures too', async () => {
  await expect(withTimeout(10_000, Promise.resolve('here'))).resolves.toBe('here')
  await expect(withTimeout(10_000, Promise.reject(new Error('broken')))).rejects.toThrow('broken')
})

test('what never comes is given up, and fails later without harm', async () => {
  let fail: (error: Error) => void = () => {}
  const never = new Promise((_, reject) => {
    fail = reject
  })
  await expect(withTimeout(1, never)).rejects.toMatchObject({ code: 'UNAVAILABLE' })
  fail(new Error('too late'))
})

it('lets others have the event loop after the span, and not before', async () => {
  const order: string[] = []
  const other = () => setImmediate(() => order.push('the other'))
  const long = yieldToEventLoop(60_000)
  other()
  await long()
  order.push('within the span')
  await yieldToEventLoop(0)()
  order.push('after it')
  expect(order).toEqual(['within the span', 'the other', 'after it'])
})

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

describe('work for each of many', () => {
  it('is done for at most so many at a time, in their order', async () => {
    const begun: number[] = []
    const ends: (() => void)[] = []
    const done = forEachAtOnce([1, 2, 3], 2, async (item) => {
      begun.push(item)
      await new Promise<void>((resolve) => ends.push(resolve))
    })
    await vi.waitFor(() => expect(begun).toEqual([1, 2]))
    ends[1]?.()
    await vi.waitFor(() => expect(begun).toEqual([1, 2, 3]))
    ends[0]?.()
    ends[2]?.()
    await done
  })

  it('ends with the first failure, once what is under way has ended, and begins nothing further', async () => {
    const begun: number[] = []
    let end = () => {}
    let ended = false
    const done = forEachAtOnce([1, 2, 3], 2, async (item) => {
      begun.push(item)
      if (item === 1) throw new Error('broken')
      await new Promise<void>((resolve) => {
        end = resolve
      })
      ended = true
    })
    await vi.waitFor(() => expect(begun).toEqual([1, 2]))
    end()
    await expect(done).rejects.toThrow('broken')
    expect({ begun, ended }).toEqual({ begun: [1, 2], ended: true })
  })

  it('ends with what goes wrong while the items are read', async () => {
    async function* items() {
      yield 1
      throw new Error('unread')
    }
    await expect(forEachAtOnce(items(), 3, async () => {})).rejects.toThrow('unread')
  })
})
