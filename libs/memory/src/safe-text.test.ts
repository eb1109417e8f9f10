import { describe, expect, test } from 'vitest'
import { safeLine, safeText } from './safe-text.ts'

describe('a text for the terminal', () => {
  test.each([
    ['colours', '\u001B[31mred\u001B[0m', 'red'],
    ['cursor movements', 'a\u001B[2J\u001B[1;1Hb', 'ab'],
    ['window titles', '\u001B]0;title\u0007text', 'text'],
    ['clipboard writes ended by ST', '\u001B]52;c;aGk=\u001B\\text', 'text'],
    ['8-bit sequences', '\u009B31mred \u009D0;title\u009Ctext', 'red text'],
    ['a lone escape at the end', 'text\u001B', 'text'],
    ['a sequence inside what is left of another', '\u001B\u001B[31mx', 'x'],
    ['bells, backspaces and deletes', 'a\u0007b\u0008c\u007Fd', 'abcd'],
    ['marks that reverse direction', 'abc\u202Edef\u2066', 'abcdef'],
    ['carriage returns that overwrite a line', 'good\rbad', 'good\nbad'],
  ])('loses %s', (_, given, expected) => {
    expect(safeText(given)).toBe(expected)
  })

  test('keeps tabs, line feeds and every script', () => {
    const text = 'Straße\t日本語\n😀 <mark> & "quotes"'
    expect(safeText(text)).toBe(text)
  })

  test('is one line where that is wanted', () => {
    expect(safeLine(' a\r\nb\u2028c\t d ')).toBe('a b c d')
  })
})
