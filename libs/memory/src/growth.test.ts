import { expect, test } from 'vitest'
import { age } from './hit-lines.ts'

const NOW = Date.parse('2026-11-21T12:00:00Z')

test.each([
  ['2026-11-21T11:59:55Z', 'just now'],
  ['2026-11-21T12:00:30Z', 'just now'],
  ['2026-11-21T11:59:30Z', '30 seconds ago'],
  ['2026-11-21T11:59:00Z', '1 minute ago'],
  ['2026-11-21T11:00:01Z', '59 minutes ago'],
  ['2026-11-20T13:00:00Z', '23 hours ago'],
  ['2026-11-19T12:00:00Z', '2 days ago'],
  ['2026-11-01T12:00:00Z', '2026-11-01'],
  ['2027-01-01T00:00:00Z', '2027-01-01'],
])('%s is %s', (moment, words) => {
  expect(age(moment, NOW)).toBe(words)
})
