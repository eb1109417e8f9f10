import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldedParts, foldWords, indexedWords, queryWords } from './fold-words.ts'

const words = (text: string) =>
  foldWords(text)
    .split(/\s+/u)
    .filter((word) => word !== '')

describe('words beyond English (capability 10)', () => {
  it.each([
    ['café', 'cafe'],
    ['cafe\u0301', 'cafe'],
    ['CAFÉ', 'CAFe'],
    ['Smørrebrød, Straße, œuvre, Łódź', 'Smorrebrod, Strasse, oeuvre, lodz'],
    ['naïve Ångström', 'naive angstrom'],
    ['ﬁn ＡＢＣ', 'fin abc'],
    ['Москва, ёлка, йод', 'москва, елка, йод'],
    ['Αθήνα οδός', 'αθηνα οδοσ'],
    ['plain ASCII: a_b <c>', 'plain ASCII: a_b <c>'],
    ['10 °C – “yes”', '10 °C – “yes”'],
  ])('%j is searched as %j', (text, folded) => {
    expect(foldWords(text)).toBe(folded)
  })

  it.each([
    ['東京都', ['東京', '京都']],
    ['茶', ['茶']],
    ['in東京now', ['in', '東京', 'now']],
    ['ラーメン', ['ラー', 'ーメ', 'メン']],
    ['한국어', ['한국', '국어']],
    ['𠮷野家', ['𠮷野', '野家']],
  ])('%j becomes pairs of letters', (text, pairs) => {
    expect(words(text)).toEqual(pairs)
  })

  it('makes a word of an emoji, whatever its skin, and of a flag', () => {
    expect(words('party🎉time')).toEqual(['party', 'emoji1f389', 'time'])
    expect(words('👍🏽')).toEqual(words('👍'))
    expect(words('❤️')).toEqual(words('❤'))
    expect(words('👩‍💻')).toEqual(['emoji1f469', 'emoji1f4bb'])
    expect(words('🇩🇪')).toEqual(['emoji1f1e91f1ea'])
  })

  it('indexes single letters of runs too, which a question may ask for', () => {
    expect(indexedWords('緑茶 tea').split(/\s+/u)).toEqual(['', '緑茶', 'tea', '緑', '茶'])
    expect(queryWords('緑茶').trim()).toBe('緑茶')
  })

  it('does not depend on how accents are encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', 'É', 'ñ', 'Ỗ', 'й', 'Ё', 'ώ', ' ') }), (text) => {
        const searched = (form: 'NFC' | 'NFD') => foldWords(text.normalize(form)).toLowerCase()
        expect(searched('NFD')).toBe(searched('NFC'))
      }),
      { numRuns: 200 },
    )
  })

  it('names parts in order and within the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('a', 'é', '京', '한', '🎉', ' ', '\u0301', 'Я') }),
        (text) => {
          let last = 0
          for (const { start, end } of foldedParts(text)) {
            expect(start).toBeGreaterThanOrEqual(last)
            expect(end).toBeGreaterThan(start)
            last = start
          }
          expect(last).toBeLessThanOrEqual(text.length)
        },
      ),
      { numRuns: 200 },
    )
  })
})
