import { breakTokens } from './break-tokens.ts'
import { wordParts } from './word-parts.ts'

/**
 * Where a text is not as it is searched: accents, other scripts, emoji.
 *
 * - `emoji`: a flag, or a pictograph
 * - `run`: letters of a script that writes no blanks between words (and Korean, whose particles stick to words)
 * - `letter`: any other character beyond ASCII, with the marks on it
 */
const UNIT =
  /(?<emoji>\p{RI}\p{RI}|(?![©®™‼⁉])\p{Extended_Pictographic})|(?<run>[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]+)|(?<letter>[^\0-\x7F]\p{M}*)/gu

/** Letters that Unicode does not take apart. */
const LETTERS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ё: 'е',
  ς: 'σ',
}

/** What stands beside an emoji or a letter and is none: skin tones, joiners, variants. */
const BESIDE = /^(?:\u200D|\uFE0E|\uFE0F|\p{Emoji_Modifier})/u

/** A part of a text that is searched as `word`. Offsets in UTF-16, the end exclusive. */
interface FoldedPart {
  readonly start: number
  readonly end: number
  readonly word: string
}

/**
 * The parts of a text that are not searched as they are written, in order: accents are left out ("café" is
 * "cafe"), letters beyond ASCII become small, an emoji is a word, and runs of Chinese, Japanese, Korean or Thai
 * letters become pairs of letters, which overlap, since their words cannot be told apart without a dictionary.
 */
export function* foldedParts(text: string): Generator<FoldedPart> {
  for (const match of text.matchAll(UNIT)) {
    const { emoji, run, letter = '' } = match.groups ?? {}
    const start = match.index
    const end = start + match[0].length
    if (emoji !== undefined) yield { start, end, word: ` emoji${[...emoji].map(hex).join('')} ` }
    else if (run !== undefined) yield* pairs(run, start)
    else yield { start, end, word: foldLetter(letter) }
  }
}

const hex = (character: string) => character.codePointAt(0)?.toString(16)

function* pairs(run: string, offset: number): Generator<FoldedPart> {
  const letters = Array.from(run)
  let start = offset
  for (const [index, letter] of letters.entries()) {
    const next = letters[index + 1]
    const end = start + letter.length + (next?.length ?? 0)
    if (next !== undefined || index === 0) yield { start, end, word: ` ${letter}${next ?? ''} ` }
    start += letter.length
  }
}

/** By letter, as there are few different ones in a text. */
const known = new Map<string, string>()

const KNOWN_MAX = 4_096

/** A letter beyond ASCII, with the marks on it, as it is searched: é is e, ß is ss. Signs beside emoji are left out. */
function foldLetter(letter: string): string {
  const before = known.get(letter)
  if (before !== undefined) return before
  const folded = BESIDE.test(letter) || /^\p{M}/u.test(letter) ? '' : foldedLetter(letter)
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(letter, folded)
  return folded
}

function foldedLetter(letter: string): string {
  const apart = letter.normalize('NFKD')
  // Marks on other scripts' letters make other letters: the Russian й is no и.
  const plain = /^[\p{Script=Latin}\p{Script=Greek}\0-\x7F]/u.test(apart)
    ? apart.replace(/\p{M}/gu, '')
    : apart
  return Array.from(plain.normalize('NFC').toLowerCase(), (one) => LETTERS[one] ?? one).join('')
}

const ASCII = /^[\0-\x7F]*$/u

/** A text as it is searched. Texts and questions must both pass through here, or they would not match. */
export function foldWords(text: string): string {
  if (ASCII.test(text)) return text
  let folded = ''
  let after = 0
  for (const { start, end, word } of foldedParts(text)) {
    // The pairs of a run overlap.
    if (start > after) folded += text.slice(after, start)
    folded += word
    after = end
  }
  return folded + text.slice(after)
}

/** The letters of runs of two or more, for questions of a single one: pairs would not match it. */
function singleLetters(text: string): string {
  if (ASCII.test(text)) return ''
  const runs = [...text.matchAll(UNIT)].flatMap(({ groups }) => groups?.['run'] ?? [])
  return runs.flatMap((run) => (run.length > 1 ? [...run] : [])).join(' ')
}

/** What Postgres makes lexemes of, for a text to be indexed. */
export function indexedWords(text: string): string {
  const folded = foldWords(text)
  return breakTokens(
    [folded, singleLetters(text), wordParts(folded, true)].filter((part) => part !== '').join('\n'),
  )
}

/** What Postgres makes lexemes of, for words that a text must contain as they are. */
export const queryWords = (text: string): string => breakTokens(foldWords(text))

/** What Postgres makes lexemes of, for a question: names are found by their parts, too. */
export function questionWords(text: string): string {
  const folded = foldWords(text)
  const parts = wordParts(folded, false)
  return breakTokens(parts === '' ? folded : `${folded}\n${parts}`)
}

/** A text as names are compared: in small letters, without accents, and with its blanks and emoji as they are. */
export const folded = (text: string): string =>
  text.replaceAll(/[^\0-\x7F]\p{M}*/gu, foldLetter).toLowerCase()
