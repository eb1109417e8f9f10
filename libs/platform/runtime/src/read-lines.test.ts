import { anyCharacter } from '@daybook/memory/testing/any-character'
import { array, assert, asyncProperty, integer, string } from 'fast-check'
import { expect, test } from 'vitest'
import { type Line, readLines } from './read-lines.ts'

async function* chunked(bytes: Uint8Array, size: number) {
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

async function linesOf(text: string | Uint8Array, chunk = 7, longest?: number): Promise<Line[]> {
  const lines: Line[] = []
  for await (const line of readLines(chunked(Buffer.from(text), chunk), longest)) lines.push(line)
  return lines
}

test('lines are the same however the file is cut into chunks, characters cut in two included', async () => {
  const line = string({ unit: anyCharacter }).map((text) => text.replace(/[\n\r\uFEFF]/gu, '').trim())
  await assert(
    asyncProperty(array(line), integer({ min: 1, max: 40 }), async (texts, chunk) => {
      const bytes = Buffer.from(texts.join('\n'))
      const read = await linesOf(bytes, chunk)
      const expected = bytes
        .toString()
        .split('\n')
        .map((text, index) => ({ text, number: index + 1 }))
      expect(read.map(({ text, number }) => ({ text, number }))).toEqual(
        expected.filter(({ text }) => text !== ''),
      )
    }),
    { numRuns: 50 },
  )
})

test('line ends of Windows, a byte order mark and blank lines are no part of a line, but count', async () => {
  const lines = await linesOf('\uFEFFa\r\n\r\n  \nb')
  expect(lines.map(({ number, text }) => [number, text])).toEqual([
    [1, 'a'],
    [4, 'b'],
  ])
  expect(lines.at(-1)?.readBytes).toBe(Buffer.byteLength('\uFEFFa\r\n\r\n  \nb'))
})

test('a line that is too long is named and skipped', async () => {
  const lines = await linesOf(`short\n${'x'.repeat(50)}\nafter`, 7, 20)
  expect(lines.map(({ number, text }) => [number, text])).toEqual([
    [1, 'short'],
    [2, null],
    [3, 'after'],
  ])
  expect(lines[1]?.problem).toBe('is too long: the limit is 20 bytes')
})

test('a line that is not UTF-8 is named, as its text would be changed silently', async () => {
  const lines = await linesOf(
    Buffer.concat([Buffer.from('ok\n'), Buffer.from([0xff, 0xfe]), Buffer.from('\nok')]),
  )
  expect(lines.map(({ text, problem }) => text ?? problem)).toEqual(['ok', 'is not UTF-8', 'ok'])
})
