import { expect, test } from 'vitest'
import { seededRandom } from '../layout/lay-out.ts'
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
  const seen: string[] = []
  const laidOut = layOutInThread(vectors(1_500), {
    signal: cancelled.signal,
    onProgress() {
      seen.push('progress')
      cancelled.abort(reason)
    },
  })
  seen.push('the process goes on')
  await expect(laidOut).rejects.toBe(reason)
  expect(seen.slice(0, 2)).toEqual(['the process goes on', 'progress'])
})
