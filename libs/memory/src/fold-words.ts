import { breakTokens } from './break-tokens.ts'
import { wordParts } from './word-parts.ts'

/** The letters of scripts that write no blanks between words, and of Korean. */
const RUN = String.raw`\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ーｰ`

/**
 * Where a text is not as it is searched: accents, other scripts, emoji.
 *
 * - `emoji`: a flag, or a pictograph
 * - `run`: letters of a script that writes no blanks between words (and Korean, whose particles stick to words)
 * - `letter`: any other character beyond ASCII, with the marks on it
 */
const UNIT = new RegExp(
  String.raw`(?<emoji>\p{RI}\p{RI}|(?![©®™‼⁉])\p{Extended_Pictographic})|(?<run>[${RUN}][${RUN}\u3099\u309Aﾞﾟ\p{VS}]*)|(?<letter>[^\0-\x7F]\p{M}*)`,
  'gu',
)

/**
 * What Unicode makes letters of, within a run: the parts of a Korean syllable, those of half width, a kana with its marks, a
 * letter with a variant sign.
 */
const IN_RUN =
  /[\u1100-\u115F\uA960-\uA97C\uAC00-\uD7A3][\u1160-\u11FF\uD7B0-\uD7FB]*|[\uFFA0-\uFFDC]+|.[\u3099\u309Aﾞﾟ\p{VS}]*/gu

/** Letters that Unicode does not take apart, and those that keyboards of one script write differently. */
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
  آ: 'ا',
  أ: 'ا',
  إ: 'ا',
  ٱ: 'ا',
  ى: 'ي',
  ی: 'ي',
  ک: 'ك',
}

/**
 * What stands beside an emoji or a letter and is none: skin tones, joiners, variants, signs that nobody sees, and the stroke that
 * stretches Arabic.
 */
const BESIDE = /^(?:[\u00AD\u061C\u0640\u200C-\u200F\u2060\uFEFF]|\p{VS}|\p{Emoji_Modifier})/u

/** Their marks are accents, or signs of vowels that most texts leave out. */
const MARKED = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Hebrew}\0-\x7F]/u

/** So are those of these, but for the marks that make other letters: the Russian й is no и. */
const MARKED_IF_APART = /^[\p{Script=Cyrillic}\p{Script=Arabic}]/u

/** A part of a text that is searched as `word`. Offsets in UTF-16, the end exclusive. */
interface FoldedPart {
  readonly start: number
  readonly end: number
  readonly word: string
}

/**
 * The parts of a text that are not searched as they are written, in order. A text has the same words in whatever form of
 * Unicode it was typed. Accents are left out ("café" is "cafe"), letters beyond ASCII become small, an emoji is a word,
 * and runs of Chinese, Japanese, Korean or Thai letters become pairs of letters, which overlap, since their words cannot be
 * told apart without a dictionary.
 */
export function* foldedParts(text: string): Generator<FoldedPart> {
  for (const match of text.matchAll(UNIT)) {
    const { emoji, run, letter = '' } = match.groups ?? {}
    const start = match.index
    const end = start + match[0].length
    if (emoji !== undefined) yield { start, end, word: ` emoji${[...emoji].map(hex).join('')} ` }
    else if (run !== undefined) yield* pairs(run, start)
    else {
      const word = foldLetter(letter)
      // ㈱ is (株).
      yield { start, end, word: word.length > 1 && UNBROKEN.test(word) ? foldWords(word) : word }
    }
  }
}

const UNBROKEN = /[\p{Script=Han}\p{Script=Katakana}]/u

const hex = (character: string) => character.codePointAt(0)?.toString(16)

function* pairs(run: string, offset: number): Generator<FoldedPart> {
  const letters = lettersOf(run)
  for (const [index, { letter, start, end }] of letters.entries()) {
    const next = letters[index + 1]
    if (next !== undefined || index === 0)
      yield {
        start: offset + start,
        end: offset + (next?.end ?? end),
        word: ` ${letter}${next?.letter ?? ''} `,
      }
  }
}

interface RunLetter {
  readonly letter: string
  readonly start: number
  readonly end: number
}

/** The letters of a run in one form, and where they are from: ﾃﾞ is デ, ㌔ is キ and ロ. */
function lettersOf(run: string): RunLetter[] {
  const letters: RunLetter[] = []
  const isOneForm = run.normalize('NFKC') === run && !VARIANT.test(run)
  let start = 0
  for (const typed of isOneForm ? run : (run.match(IN_RUN) ?? [])) {
    const end = start + typed.length
    if (isOneForm) letters.push({ letter: typed, start, end })
    else
      for (const letter of typed.normalize('NFKC').replace(VARIANT, '')) letters.push({ letter, start, end })
    start = end
  }
  return letters
}

const VARIANT = /\p{VS}+/u

/** By letter, as there are few different ones in a text. */
const known = new Map<string, string>()

const KNOWN_MAX = 4_096

/** A letter beyond ASCII, with the marks on it, as it is searched: é is e, ß is ss. Signs beside emoji are left out. */
function foldLetter(letter: string): string {
  const before = known.get(letter)
  if (before !== undefined) return before
  const folded = BESIDE.test(letter) ? '' : foldedLetter(letter)
  if (known.size >= KNOWN_MAX) known.clear()
  known.set(letter, folded)
  return folded
}

function foldedLetter(letter: string): string {
  const apart = letter.normalize('NFKD')
  const composed = apart.normalize('NFC')
  if (/^\p{M}/u.test(apart)) return ''
  if (MARKED.test(apart)) return small(apart.replace(/\p{M}/gu, '').normalize('NFC'))
  return small(MARKED_IF_APART.test(apart) ? composed.replace(/\p{M}/gu, '') : composed)
}

/** ASCII stays as it is, since the parts of names are told by their capital letters. */
const small = (letters: string): string =>
  Array.from(letters, (one) =>
    ASCII.test(one) ? one : (LETTERS[one.toLowerCase()] ?? one.toLowerCase()),
  ).join('')

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
  const runs = [...text.matchAll(UNIT)].map(({ groups }) => lettersOf(groups?.['run'] ?? ''))
  return runs.flatMap((letters) => (letters.length > 1 ? letters.map(({ letter }) => letter) : [])).join(' ')
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
  text
    .normalize('NFKC')
    .replaceAll(/[^\0-\x7F]\p{M}*/gu, foldLetter)
    .toLowerCase()
