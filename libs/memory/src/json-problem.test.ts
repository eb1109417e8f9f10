import { describe, expect, it } from 'vitest'
import { lossOf } from './json-problem.ts'

describe('a number of a JSON text that would be rounded', () => {
  it.each([
    ['{"id":9007199254740993}', '9007199254740993'],
    ['[12345678901234567890,1]', '12345678901234567890'],
    ['{"a":"1\\"","b":-9007199254740993}', '-9007199254740993'],
    [`[${'9'.repeat(500)}]`, `${'9'.repeat(39)}…`],
    [`[-${'9'.repeat(308)}]`, `-${'9'.repeat(38)}…`],
    ['{"id":"9007199254740993"}', null],
    ['{"id":"\\"9007199254740993"}', null],
    ['{"id":9007199254740992}', null],
    ['[0.12345678901234567,1.2345678901234567e-7,12345678901234567e4]', null],
    ['{"id":9007199254740991', null],
  ])('of %.60s is %s', (json, number) =>
    expect(lossOf(json)).toBe(
      number === null ? null : `holds the number ${number}, which would be rounded: give it as text`,
    ),
  )
})
