import { expect, it } from 'vitest'
import { citationsIn } from './citations.ts'

it.each([
  ['Nothing is cited.', [], []],
  ['One [2], and again [2], then [1].', [2, 1], []],
  ['Several [1, 3] at once [4].', [1, 3], [4]],
  ['An array: values[0] and [9999].', [], [0, 9_999]],
  ['No number: [a], [], [12345].', [], []],
])('%s', (answer, known, unknown) => {
  expect(citationsIn(answer, 3)).toEqual({ known, unknown })
})
