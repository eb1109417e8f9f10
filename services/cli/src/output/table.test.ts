import { expect, test } from 'vitest'
import { table } from './table.ts'

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
