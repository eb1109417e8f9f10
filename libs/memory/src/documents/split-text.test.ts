import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytes } from '../text-rules.ts'
import { splitText } from './split-text.ts'

it('leaves a text that fits as it is', () => {
  expect(splitText('short', 5)).toEqual(['short'])
  expect(splitText('', 5)).toEqual([''])
})

it('cuts after the last paragraph of the second half, else line, sentence, word, character', () => {
  expect(splitText('one two. three\nfour\n\nfive six seven', 24)).toEqual([
    'one two. three\nfour\n\n',
    'five six seven',
  ])
  expect(splitText('one two. three\nfour five six', 20)).toEqual(['one two. three\n', 'four five six'])
  expect(splitText('one two. three four', 14)).toEqual(['one two. ', 'three four'])
  expect(splitText('one two three', 9)).toEqual(['one two ', 'three'])
  expect(splitText('ééééé', 5)).toEqual(['éé', 'éé', 'é'])
  expect(splitText('😀😀', 7)).toEqual(['😀', '😀'])
})

it('loses nothing, no piece is too long, and only the last may be short', () => {
  const word = fc.constantFrom('word', 'straße', '日本', '😀', ' ', '\n', '\n\n', '. ')
  fc.assert(
    fc.property(fc.array(word, { maxLength: 200 }), fc.integer({ min: 8, max: 80 }), (words, most) => {
      const text = words.join('')
      const pieces = splitText(text, most)
      expect(pieces.join('')).toBe(text)
      for (const piece of pieces) expect(bytes(piece)).toBeLessThanOrEqual(most)
      for (const piece of pieces.slice(0, -1)) expect(bytes(piece)).toBeGreaterThan((most - 3) / 8)
    }),
  )
})
