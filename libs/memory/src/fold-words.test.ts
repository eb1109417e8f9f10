import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { folded, foldedParts, foldWords, indexedWords, queryWords } from './fold-words.ts'

const words = (text: string) =>
  foldWords(text)
    .split(/\s+/u)
    .filter((word) => word !== '')

/** Letters with the marks that belong on them. */
const LETTERS = fc.constantFrom(
  ...'aÉñỖйЁώＡｶガぱ한각ㅋ東豈㌔أآؤئىل ',
  'ｶﾞ',
  'กิ',
  'की',
  'بَ',
  'מִּ',
  'क़',
  'שׁ',
  '葛\u{E0100}',
  '🎉',
)

describe('words beyond English (capability 10)', () => {
  it.each([
    ['café', 'cafe'],
    ['cafe\u0301', 'cafe'],
    ['CAFÉ', 'CAFE'],
    ['Smørrebrød, Straße, œuvre, Łódź', 'Smorrebrod, Strasse, oeuvre, lodz'],
    ['naïve Ångström', 'naive Angstrom'],
    ['ﬁn ＡＢＣ１２３', 'fin ABC123'],
    ['Zu\u00ADsammen', 'Zusammen'],
    ['Москва, ёлка, йод', 'москва, елка, йод'],
    ['за\u0301мок', 'замок'],
    ['हिन्दी', 'हिन्दी'],
    ['Αθήνα οδός', 'αθηνα οδοσ'],
    ['plain ASCII: a_b <c>', 'plain ASCII: a_b <c>'],
    ['10 °C – “yes”', '10 °C – “yes”'],
  ])('%j is searched as %j', (text, asSearched) => {
    expect(foldWords(text)).toBe(asSearched)
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

  it.each([
    ['Hangul of conjoining letters', '한국어'.normalize('NFD'), '한국어'],
    ['Hangul of half width', 'ﾡￂ나', '가나'],
    ['old Hangul, which is never one character', '\u1112\u119E\u11AB', '\u1112\u119E\u11AB'.normalize('NFC')],
    ['katakana of half width', 'ﾃｽﾄﾃﾞｰﾀ', 'テストデータ'],
    ['kana with their marks apart', 'ガギぱ'.normalize('NFD'), 'ガギぱ'],
    ['several letters in one square', '㌔メ ㍿ ㈱', 'キロメ 株式会社 (株)'],
    ['Han letters with a variant sign', '葛\u{E0100}城市', '葛城市'],
    ['Han letters of compatibility', '豈⼀人', '豈一人'],
    ['Latin letters and digits of full width', 'ＵｓｅＡｕｔｈ２Ｓｔｏｒｅ', 'UseAuth2Store'],
    ['capital letters with their marks apart', 'ÉcoleÉtat'.normalize('NFD'), 'ÉcoleÉtat'],
    ['Arabic with signs of vowels', 'مُحَمَّدٌ', 'محمد'],
    ['stretched Arabic', 'مـحـمـد', 'محمد'],
    ['alef in each of its forms', 'أإآٱ', 'اااا'],
    ['alef with its marks apart', 'أَحمد'.normalize('NFD'), 'احمد'],
    ['yeh and kaf of other keyboards', 'علیک على', 'عليك علي'],
    ['Arabic as it is joined', 'ﻻﺳﻼم', 'لاسلام'],
    ['Hebrew with points', 'שָׁלוֹם', 'שלום'],
    ['joiners that nobody sees', 'क्\u200Dष سلام\u200Fعليكم', 'क्ष سلامعليكم'],
  ])('%s: the words of a text do not depend on how it was typed', (_, typed, plain) => {
    expect(words(typed)).toEqual(words(plain))
  })

  it('finds names by their parts in each form', () => {
    for (const typed of ['ＵｓｅＡｕｔｈＳｔｏｒｅ', 'ÚseAuthStore', 'ÚseAuthStore'.normalize('NFD')])
      expect(indexedWords(typed), typed).toBe(indexedWords('UseAuthStore'))
    expect(indexedWords('ﾘﾖｸ茶')).toBe(indexedWords('リヨク茶'))
  })

  it.each([
    ['иод', 'йод'],
    ['سيل', 'سئل'],
    ['कि', 'की'],
    ['กา', 'กิ'],
    ['か', 'が'],
  ])('%s and %s are different words', (one, other) => {
    expect(words(one)).not.toEqual(words(other))
  })

  it('compares names in each form alike', () => {
    for (const name of ['김철수', 'ガンダム', 'José', 'محمد'])
      for (const form of ['NFC', 'NFD', 'NFKC', 'NFKD'] as const)
        expect(folded(name.normalize(form))).toBe(folded(name))
    expect(folded('ﾃｽﾄ')).toBe('テスト')
    expect(folded('party 🎉')).toBe('party 🎉')
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
      fc.property(fc.string({ unit: LETTERS }), (text) => {
        const composed = text.normalize('NFC')
        for (const form of ['NFD', 'NFKC', 'NFKD'] as const)
          expect(foldWords(composed.normalize(form))).toBe(foldWords(composed))
      }),
      { numRuns: 500 },
    )
  })

  it('names parts in order and within the text', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(
            'a',
            'é',
            '京',
            '한',
            '\u1112',
            '\u1161',
            'ｶ',
            'ﾞ',
            '㌔',
            'ـ',
            '🎉',
            ' ',
            '\u0301',
            'Я',
          ),
        }),
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
