import { describe, expect, it } from 'vitest'
import { bytes, characters, joinParts, oneLine } from './text-rules.ts'

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

describe('joined parts', () => {
  it('stand on lines of their own, the missing ones left out', () => {
    expect(joinParts('a', null, ['b', '', 'c'], undefined, [])).toBe('a\nb\nc')
  })
})
