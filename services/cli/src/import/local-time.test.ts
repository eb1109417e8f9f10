import { expect, test } from 'vitest'
import { momentOf } from './formats/format.ts'
import { hasZone } from './local-time.ts'

test.each([
  ['2024-03-05', true],
  ['2024-03-05T10:00:00Z', true],
  ['2024-03-05T10:00:00.5+01:00', true],
  ['2024-03-05 10:00:00+00', true],
  ['Tue, 05 Mar 2024 10:00:00 GMT', true],
  ['Tue Mar 05 2024 10:00:00 GMT+0100 (Central European Standard Time)', true],
  ['5 March 2024 10:00 EST', true],
  ['2024-03-05 10:00', false],
  ['2024-03-05T10:00:00', false],
  ['2024/03/05', false],
  ['March 5, 2024 10:00 AM', false],
])('%j has a zone: %j', (time, has) => {
  expect(hasZone(time)).toBe(has)
  // What names none is handed on so, and means the same moment to whoever reads it on this machine.
  const moment = momentOf(time) ?? ''
  expect(hasZone(moment)).toBe(has)
  expect(new Date(moment)).toEqual(new Date(time))
})

test('a moment that no clock shows is none', () => {
  for (const value of ['soon', 8.64e15, '+012345-01-01T00:00:00Z', '0000-01-01', {}, null])
    expect(momentOf(value)).toBeUndefined()
})
