import { expect, test } from 'vitest'
import { peekLine } from './import-file.ts'

async function* chunksOf(text: string, size: number) {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += size) yield bytes.subarray(start, start + size)
}

test.each([
  ['é first\nsecond\nthird', 'é first'],
  ['only one', 'only one'],
  ['\nsecond', ''],
  ['', ''],
])('the first line of %j is seen, and nothing is lost', async (text, first) => {
  for (const size of [1, 3, 100]) {
    const { line, source } = await peekLine(chunksOf(text, size))
    expect(line).toBe(first)
    const all: Uint8Array[] = []
    for await (const chunk of source) all.push(chunk)
    expect(Buffer.concat(all).toString()).toBe(text)
  }
})

test('of an endless line no more than needed is held', async () => {
  let read = 0
  const endless = async function* () {
    for (;;) {
      read += 1
      yield Buffer.alloc(1024, 'x')
    }
  }
  await peekLine(endless())
  expect(read).toBe(64)
})

test.each([
  ['a picture, which has a line feed before its first NUL', '\u0089PNG\r\n\u001A\n\0\0\0\rIHDR', true],
  ['a database', 'SQLite format 3\0', true],
  ['text in UTF-16', 't\0e\0x\0t\0', true],
  ['a text', '{"content": {}}\n', false],
  ['a text that is damaged further on', `${'x'.repeat(8_000)}\0`, false],
])('%s: binary or not', async (_, text, binary) => {
  expect((await peekLine(chunksOf(text, 64 * 1024))).binary).toBe(binary)
})
