import { pause } from '@daybook/runtime/backoff'
import { expect, test } from 'vitest'
import { seededRandom } from '../layout/seeded-random.ts'
import { layOutInThread } from './lay-out-in-thread.ts'

function vectors(rows: number) {
  const random = seededRandom(3)
  return { rows, columns: 16, values: Float32Array.from({ length: rows * 16 }, () => random() - 0.5) }
}

test('a thread lays out, and says how far it is', async () => {
  const told: number[] = []
  const places = await layOutInThread(vectors(40), {
    signal: new AbortController().signal,
    onProgress: (done) => told.push(done),
  })
  expect(places).toHaveLength(80)
  expect(told.length).toBeGreaterThan(10)
  expect(told).toEqual(told.toSorted((a, b) => a - b))
})

test('it ends at once when it is cancelled, and the process goes on meanwhile', async () => {
  const cancelled = new AbortController()
  const reason = new Error('no more')
  let begun = () => {}
  const atWork = new Promise<void>((resolve) => {
    begun = resolve
  })
  const laidOut = layOutInThread(vectors(1_500), { signal: cancelled.signal, onProgress: () => begun() })
  let over = false
  const ended = laidOut
    .catch((error: unknown) => error)
    .finally(() => {
      over = true
    })
  await atWork
  await pause(10)
  expect(over).toBe(false)
  cancelled.abort(reason)
  expect(await ended).toBe(reason)
})
