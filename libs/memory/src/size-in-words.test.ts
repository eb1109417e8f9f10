import { expect, it } from 'vitest'
import { sizeInWords } from './size-in-words.ts'

it.each([
  [64 * 1024, '64 KiB (65,536 bytes)'],
  [1024 ** 2, '1 MiB (1,048,576 bytes)'],
  [65_537, '65,537 bytes'],
  [1, '1 byte'],
  [0, '0 bytes'],
])('%i bytes are %s', (bytes, words) => {
  expect(sizeInWords(bytes)).toBe(words)
})
