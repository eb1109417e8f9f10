import fc from 'fast-check'
import stringWidth from 'string-width'
import { expect, test } from 'vitest'
import { createPainter } from './print.ts'
import { table, wrap } from './table.ts'

test('columns stand beneath each other, also with signs of two columns', () => {
  expect(
    table(
      ['what', 'n'],
      [
        ['東京', 1],
        ['🦊 fox', 12_345],
        ['plain', 3],
      ],
    ),
  ).toBe('what        n\n東京        1\n🦊 fox  12345\nplain       3')
})

const HEADER = ['projection', 'position', 'head', 'lag', 'status', 'error']

const ROWS = [['pgvector', 12_345_678, 12_345_678, 0, 'live', 'a value is too long for its column']]

test('in a narrow terminal each row is told on its own, whole', () => {
  expect(table(HEADER, ROWS, 40)).toBe(
    [
      'projection pgvector',
      '  position: 12,345,678  head: 12,345,678',
      '  lag: 0  status: live  error: a value',
      '  is too long for its column',
    ].join('\n'),
  )
})

test('where it fits it is a table, and where there is no terminal it always is', () => {
  const wide = table(HEADER, ROWS, 100)
  expect(wide.split('\n')).toHaveLength(2)
  // A program that reads it takes 12,345 for 12.
  expect(table(HEADER, ROWS, Number.POSITIVE_INFINITY).split('\n')[1]).toMatch(
    /^pgvector {4}12345678 {2}12345678 /u,
  )
})

test('lines break at blanks and go on where their text began', () => {
  expect(wrap('one two three four', 9)).toBe('one two\nthree\nfour')
  expect(wrap('  one two three', 9)).toBe('  one two\n  three')
  expect(wrap('12. one two three', 11)).toBe('12. one two\n    three')
  expect(wrap('  → one two three', 11)).toBe('  → one two\n    three')
  expect(wrap('one two three', 9, 2)).toBe('one two\n  three')
})

test('a word that is longer than a line stays whole, so that it can be copied', () => {
  expect(wrap('see https://example.org/a/b now', 10)).toBe('see\nhttps://example.org/a/b\nnow')
})

test('what two blanks set apart stays together where it fits on a line', () => {
  expect(wrap('What to do about it:  daybook doctor', 30)).toBe('What to do about it:\ndaybook doctor')
  expect(wrap('position: 12,345  head: 12,345  lag: 0', 30)).toBe('position: 12,345  head: 12,345\nlag: 0')
})

test('columns are those that are seen: colours have none, wide signs two', () => {
  const { bold } = createPainter(true)
  expect(wrap(bold('one two three'), 13)).toBe(bold('one two three'))
  expect(wrap('東京 東京 東京', 9)).toBe('東京 東京\n東京')
})

test('where there are no columns nothing is touched', () => {
  const text = `${'word '.repeat(100)} end`
  expect(wrap(text, Number.POSITIVE_INFINITY)).toBe(text)
})

test('no word is lost, and only a single word is longer than a line', () => {
  const words = fc.array(
    fc.string({ unit: fc.constantFrom('a', 'b', '東', '.'), minLength: 1, maxLength: 20 }),
  )
  fc.assert(
    fc.property(
      words,
      fc.constantFrom(' ', '  ', '   '),
      fc.integer({ min: 4, max: 40 }),
      (given, gap, columns) => {
        const lines = wrap(given.join(gap), columns).split('\n')
        expect(lines.join(' ').split(/ +/u).filter(Boolean)).toEqual(given)
        for (const line of lines)
          if (line.trim().includes(' ')) expect(stringWidth(line)).toBeLessThanOrEqual(columns)
      },
    ),
  )
})
