import { expect, it } from 'vitest'
import { retryAfterOf } from './ask-provider.ts'

const NOW = Date.UTC(2026, 10, 22, 12, 0, 0)

it.each([
  [{}, null],
  [{ 'retry-after': '20' }, 20_000],
  [{ 'retry-after': '0' }, 0],
  [{ 'retry-after': '1.5' }, 1_500],
  [{ 'retry-after': '20', 'retry-after-ms': '250' }, 250],
  [{ 'retry-after': 'Sun, 22 Nov 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Sun, 22 Nov 2026 11:00:00 GMT' }, 0],
  [{ 'retry-after': 'soon' }, null],
])('%j is %s ms', (headers, expected) => {
  expect(retryAfterOf(new Headers(headers as Record<string, string>), NOW)).toBe(expected)
})
