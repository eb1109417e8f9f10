import { expect, test } from 'vitest'
import { table } from './table.ts'

test('columns stand beneath each other, also with signs of two columns', () => {
  expect(
    table(
      ['what', 'n'],
      [
        ['東京', 1],
        ['🦊 fox', 12],
        ['plain', 3],
      ],
    ),
  ).toBe('what     n\n東京     1\n🦊 fox  12\nplain    3')
})
