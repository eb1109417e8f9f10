import { expect, test } from 'vitest'
import { toJson } from './json.ts'

test('JSON says the same data with dangerous characters escaped', () => {
  const value = { text: '\u001B[31m \u009B31m \u202E 日本語' }
  const json = toJson(value)
  expect(json).toBe('{"text":"\\u001b[31m \\u009b31m \\u202e 日本語"}')
  expect(JSON.parse(json)).toEqual(value)
})
