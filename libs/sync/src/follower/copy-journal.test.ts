import { expect, test } from 'vitest'
import type { StreamLine } from '../wire/stream-line.ts'
import { queueLines } from './copy-journal.ts'

const MIB = 1024 * 1024

test('lines are read ahead up to a size, however few they are, and the rest as they are taken', async () => {
  let read = 0
  async function* lines(): AsyncGenerator<StreamLine, void> {
    for (; read < 100; read += 1) yield { state: {} as never, size: 5 * MIB }
  }
  const queue = queueLines(lines(), new AbortController().signal)
  await new Promise(setImmediate)
  expect(read).toBe(1)
  let taken = 0
  for (; (await queue.next()) !== null; taken += 1) expect(read - taken).toBeLessThanOrEqual(2)
  expect(taken).toBe(100)
})
