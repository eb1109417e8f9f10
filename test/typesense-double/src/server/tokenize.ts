/** A word of a text as it is indexed, with its offsets in the text. */
export interface Token {
  readonly word: string
  readonly start: number
  /** The offset after the last character kept. */
  readonly end: number
  /** For each character of `word`, the offset after its character in the text. */
  readonly ends: readonly number[]
}

const BLANK = /\s/u
const KEPT = /[\p{L}\p{N}]/u
const MARKS = /\p{M}+/gu

/**
 * Tokenises a text as Typesense does without a locale. It splits at blanks and `separators`, removes accents
 * and lowers case. All other signs are removed without splitting: `jwt-validation` becomes the one word
 * `jwtvalidation`.
 */
export function tokenize(text: string, separators: readonly string[] = []): Token[] {
  const tokens: Token[] = []
  let word = ''
  let start = 0
  let ends: number[] = []
  const flush = () => {
    if (word !== '') tokens.push({ word, start, end: ends.at(-1) ?? start, ends })
    word = ''
    ends = []
  }
  let offset = 0
  for (const character of text) {
    if (BLANK.test(character) || separators.includes(character)) flush()
    else if (KEPT.test(character)) {
      if (word === '') start = offset
      const folded = fold(character)
      word += folded
      for (let index = 0; index < folded.length; index++) ends.push(offset + character.length)
    }
    offset += character.length
  }
  flush()
  return tokens
}

const fold = (character: string): string =>
  character === 'ß' ? 'ss' : character.normalize('NFKD').replace(MARKS, '').toLowerCase()
