import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { createActivity } from './activity.ts'
import { repeat } from './repeat.ts'

const never = new AbortController().signal

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('waits as asked while there is activity, and longer while there is none', async () => {
  const activity = createActivity({ idleAfterMs: 30, idleMs: 60_000 })
  vi.advanceTimersByTime(30)
  expect(activity.interval(5)).toBe(5)
  const waiting = activity.wait(5, never)
  vi.advanceTimersByTime(5)
  await waiting
  expect(activity.interval(5)).toBe(60_000)
})

it('whoever waits goes on as soon as something happens', async () => {
  const activity = createActivity({ idleAfterMs: 0, idleMs: 60_000 })
  vi.advanceTimersByTime(1)
  const woken: string[] = []
  const waiting = activity.wait(5, never).then(() => woken.push('waited'))
  activity.onActive(() => woken.push('told'))
  activity.touch()
  await waiting
  expect(woken.toSorted()).toEqual(['told', 'waited'])
})

it('ends with its signal', async () => {
  const stop = new AbortController()
  const waiting = createActivity({ idleAfterMs: 0, idleMs: 60_000 }).wait(60_000, stop.signal)
  stop.abort()
  await expect(waiting).resolves.toBeUndefined()
})

it('rounds come again, after those that failed too, until they are stopped', async () => {
  const failures: unknown[] = []
  let rounds = 0
  const repeated = repeat(
    async () => {
      rounds += 1
      if (rounds === 2) throw new Error('this one fails')
    },
    { everyMs: 1, onError: (error) => failures.push(error) },
  )
  await vi.advanceTimersByTimeAsync(3)
  expect(rounds).toBe(4)
  await repeated.stop()
  await vi.advanceTimersByTimeAsync(10)
  expect(rounds).toBe(4)
  expect(failures).toEqual([new Error('this one fails')])
})
