import type { Line } from '@daybook/runtime/read-lines'
import { expect, test } from 'vitest'
import { type Batch, type BatchLimits, toBatches } from './send-batch.ts'

async function* linesOf(texts: readonly (string | null)[]): AsyncGenerator<Line> {
  for (const [index, text] of texts.entries())
    yield { number: index + 1, text, problem: text === null ? 'is bad' : '', readBytes: (index + 1) * 10 }
}

const read = (line: number, json: string) => ({ line, json, bytes: json.length })

async function batchesOf(texts: readonly (string | null)[], limits: Partial<BatchLimits>): Promise<Batch[]> {
  const all = { entries: 100, bytes: 1_000, endAtBad: false, ...limits }
  const batches: Batch[] = []
  for await (const batch of toBatches(linesOf(texts), read, all)) batches.push(batch)
  return batches
}

const numbers = (batches: readonly Batch[]) => batches.map(({ entries }) => entries.map(({ line }) => line))

test('a batch has at most so many entries', async () => {
  expect(numbers(await batchesOf(['a', 'b', 'c', 'd', 'e'], { entries: 2 }))).toEqual([[1, 2], [3, 4], [5]])
})

test('a batch has at most so many bytes, and an entry above it goes alone', async () => {
  const texts = ['aaaa', 'aaaa', 'aaaa', 'a'.repeat(30), 'aa']
  expect(numbers(await batchesOf(texts, { bytes: 10 }))).toEqual([[1, 2], [3], [4], [5]])
})

test('bad lines travel with the batch during which they were met, and end it where that is wanted', async () => {
  const texts = ['a', null, 'b', 'c']
  const together = await batchesOf(texts, {})
  expect(numbers(together)).toEqual([[1, 3, 4]])
  expect(together[0]?.bad).toEqual([{ line: 2, field: null, message: 'is bad' }])
  expect(numbers(await batchesOf(texts, { endAtBad: true }))).toEqual([[1], [3, 4]])
})

test('a batch says how much of the file is done after it', async () => {
  const batches = await batchesOf(['a', 'b', 'c'], { entries: 2 })
  expect(batches.map(({ readBytes }) => readBytes)).toEqual([20, 30])
})

test('an empty file is no batch', async () => {
  expect(await batchesOf([], {})).toEqual([])
})
