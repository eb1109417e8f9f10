import { expect, test } from 'vitest'
import { shorten, toJson } from './print.ts'

test('JSON says the same data with dangerous characters escaped', () => {
  const value = { text: '\u001B[31m \u009B31m \u202E 日本語' }
  const json = toJson(value)
  expect(json).toBe('{"text":"\\u001b[31m \\u009b31m \\u202e 日本語"}')
  expect(JSON.parse(json)).toEqual(value)
})

test('a text for a terminal ends at a word', () => {
  expect(shorten('the quick brown fox', 19, 60)).toBe('the quick brown fox')
  expect(shorten('the quick brown fox', 12, 60)).toBe('the quick…')
  expect(shorten('the quick brown fox', 10, 60)).toBe('the quick…')
  expect(shorten('a https://example.org/a/b', 12, 60)).toBe('a https://e…')
})

test('nothing is cut where there is no terminal', () => {
  expect(shorten('the quick brown fox', 5, Number.POSITIVE_INFINITY)).toBe('the quick brown fox')
})
