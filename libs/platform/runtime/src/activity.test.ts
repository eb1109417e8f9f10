import { expect, it } from 'vitest'
import { createActivity } from './activity.ts'
import { pause } from './backoff.ts'
import { repeat } from './repeat.ts'

const never = new AbortController().signal

it('waits as asked while there is activity, and longer while there is none', async () => {
  const activity = createActivity({ idleAfterMs: 30, idleMs: 60_000 })
  expect(activity.interval(5)).toBe(5)
  await activity.wait(5, never)
  await pause(40)
  expect(activity.interval(5)).toBe(60_000)
})

it('whoever waits goes on as soon as something happens', async () => {
  const activity = createActivity({ idleAfterMs: 0, idleMs: 60_000 })
  await pause(5)
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
  while (rounds < 4) await pause(1)
  await repeated.stop()
  const stoppedAt = rounds
  await pause(10)
  expect(rounds).toBe(stoppedAt)
  expect(failures).toEqual([new Error('this one fails')])
})
