import { expect, test } from 'vitest'
import { expiryOf } from './expiry.ts'

const NOW = Date.parse('2026-11-23T12:00:00Z')

test('a key ends never, after days, or at the end of a day', () => {
  expect(expiryOf('', '', NOW)).toBeNull()
  expect(expiryOf('30', '', NOW)).toBe('2026-12-23T12:00:00.000Z')
  expect(new Date(expiryOf('on', '2026-12-01', NOW) ?? '').toString()).toContain('Dec 01 2026 23:59:59')
  expect(expiryOf('on', '', NOW)).toBeNull()
})
