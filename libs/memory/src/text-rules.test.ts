import { describe, expect, it } from 'vitest'
import {
  bytes,
  characters,
  isBeginning,
  isBlank,
  joinParts,
  longString,
  oneLine,
  shortString,
  sizeInWords,
} from './text-rules.ts'

describe('sizes', () => {
  it('are code points and bytes of UTF-8', () => {
    expect(characters('a😀é')).toBe(3)
    expect(bytes('a😀é')).toBe(1 + 4 + 2)
  })
})

describe('one line', () => {
  it('folds white space', () => {
    expect(oneLine('  a\n\tb \u00A0 c  ')).toBe('a b c')
  })

  it('is cut to 120 characters, the ellipsis included, and never through one', () => {
    expect(oneLine('😀'.repeat(120))).toBe('😀'.repeat(120))
    expect(oneLine('😀'.repeat(121))).toBe(`${'😀'.repeat(119)}…`)
    expect(oneLine('x'.repeat(100_000))).toBe(`${'x'.repeat(119)}…`)
    expect(oneLine(`x${'😀'.repeat(200)}`).isWellFormed()).toBe(true)
  })

  it('leaves no space before the ellipsis', () => {
    expect(oneLine('ab cd', 4)).toBe('ab…')
  })
})

describe('a title', () => {
  it.each([
    ['We use pnpm', 'We use pnpm', true],
    ['packages: We use pnpm', 'packages\nWe use pnpm\nIt is fast', true],
    ['packages: We use…', 'packages\nWe use pnpm', true],
    ['Authentication', 'Every request carries a token', false],
    ['We use pnpm, too', 'We use pnpm', false],
  ])('%j only says how %j begins: %s', (title, text, does) => {
    expect(isBeginning(title, text)).toBe(does)
  })
})

describe('joined parts', () => {
  it('stand on lines of their own, the missing ones left out', () => {
    expect(joinParts('a', null, ['b', '', 'c'], undefined, [])).toBe('a\nb\nc')
  })
})

describe('a text of which nobody could see anything', () => {
  it.each([
    ['zero-width space', '\u200B'],
    ['zero-width joiners', '\u200C\u200D'],
    ['word joiner and byte order mark', '\u2060\uFEFF'],
    ['direction marks', '\u200E\u202E\u2066'],
    ['soft hyphen', '\u00AD'],
    ['Hangul filler', '\u3164'],
    ['variation selector', '\uFE0F'],
    ['tags', '\u{E0041}'],
    ['Braille’s empty cell', '\u2800'],
    ['controls', '\u0007\u0085'],
    ['white space of all kinds between them', ' \u200B\u3000\n\u2028'],
  ])('is blank: %s', (_, text) => {
    expect(isBlank(text)).toBe(true)
    for (const rule of [shortString(10), longString(100)])
      expect(rule.safeParse(text).error?.issues[0]?.message).toBe('must not be blank')
  })

  it.each(['a\u200B', '.', '👩\u200D💻', '❤\uFE0F', 'שלום\u200F', '\uE000', '\u0378'])(
    'is not: %j',
    (text) => {
      expect(isBlank(text)).toBe(false)
      expect(longString(100).parse(text)).toBe(text)
    },
  )
})

it.each([
  [64 * 1024, '64 KiB (65,536 bytes)'],
  [1024 ** 2, '1 MiB (1,048,576 bytes)'],
  [65_537, '65,537 bytes'],
  [1, '1 byte'],
  [0, '0 bytes'],
])('%i bytes are %s', (size, words) => {
  expect(sizeInWords(size)).toBe(words)
})
