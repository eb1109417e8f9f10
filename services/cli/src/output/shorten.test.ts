import { expect, test } from 'vitest'
import { shorten } from './shorten.ts'

test('a text for a terminal ends at a word', () => {
  expect(shorten('the quick brown fox', 19, 60)).toBe('the quick brown fox')
  expect(shorten('the quick brown fox', 12, 60)).toBe('the quick…')
  expect(shorten('the quick brown fox', 10, 60)).toBe('the quick…')
  expect(shorten('a https://example.org/a/b', 12, 60)).toBe('a https://e…')
})

test('nothing is cut where there is no terminal', () => {
  expect(shorten('the quick brown fox', 5, Number.POSITIVE_INFINITY)).toBe('the quick brown fox')
})
