/** A piece of a text, and whether it is what was searched for. */
export interface Piece {
  readonly text: string
  readonly isMatch: boolean
}

const plain = (text: string): readonly Piece[] => (text === '' ? [] : [{ text, isMatch: false }])

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
}

/**
 * The pieces of a snippet of the API: HTML in which matches stand in `<mark>` and everything else is escaped. It is read as
 * exactly that, so that whatever a memory holds stays text.
 */
export const piecesOf = (html: string): readonly Piece[] =>
  html
    .split(/<mark>(.*?)<\/mark>/su)
    // Every second part is what the pattern caught.
    .map((part, index) => ({
      text: part.replaceAll(/&(?:lt|gt|quot|#39|amp);/gu, (entity) => ENTITIES[entity] ?? entity),
      isMatch: index % 2 === 1,
    }))
    .filter(({ text }) => text !== '')

/** A word of a text, in lower case, and where it stands. */
interface Word {
  readonly word: string
  readonly start: number
  readonly end: number
  readonly isMatch: boolean
}

const wordsOf = (pieces: readonly Piece[]): readonly Word[] => {
  let at = 0
  return pieces.flatMap(({ text, isMatch }) => {
    const begin = at
    at += text.length
    return [...text.matchAll(/[\p{L}\p{N}]+/gu)].map(({ 0: word, index }) => ({
      word: word.toLowerCase(),
      start: begin + index,
      end: begin + index + word.length,
      isMatch,
    }))
  })
}

/** The pieces of a text of which some words match. */
function marked(text: string, matches: readonly Word[]): readonly Piece[] {
  let at = 0
  const pieces = matches.flatMap(({ start, end }) => {
    const before = text.slice(at, start)
    at = end
    return [...plain(before), { text: text.slice(start, end), isMatch: true }]
  })
  return [...pieces, ...plain(text.slice(at))]
}

/** The pieces from one place to another. */
function between(pieces: readonly Piece[], from: number, to: number): readonly Piece[] {
  let at = 0
  return pieces.flatMap(({ text, isMatch }) => {
    const begin = at
    at += text.length
    const part = text.slice(Math.max(0, from - begin), Math.max(0, to - begin))
    return part === '' ? [] : [{ text: part, isMatch }]
  })
}

/**
 * A hit's title with its matches, and of its snippet what the title does not say: most titles are the beginning of the
 * text. Words decide, because a title is one line, may end with "…", and joins fields by signs of its own.
 */
export function withoutRepeats(
  title: string,
  snippet: readonly Piece[],
): { readonly title: readonly Piece[]; readonly rest: readonly Piece[] } {
  const [own, found] = [wordsOf(plain(title)), wordsOf(snippet)]
  const isCut = title.endsWith('…')
  const isSame = (place: number, word: string | undefined) =>
    own[place]?.word === word ||
    (isCut && place === own.length - 1 && word?.startsWith(own[place]?.word ?? word) === true)
  /** How many words are the same from these places on, to the end of either; else 0. */
  const run = (place: number, from: number) => {
    const length = Math.min(own.length - place, found.length - from)
    for (let at = 0; at < length; at += 1) if (!isSame(place + at, found[from + at]?.word)) return 0
    return length
  }
  const candidates = [
    ...own.map((_, place) => ({ place, from: 0, length: run(place, 0) })),
    // A title may also stand amid a text; a word or two may stand there by chance.
    ...found.map((_, from) => ({ place: 0, from, length: run(0, from) })).filter(({ length }) => length > 2),
  ]
  const { place, from, length } = candidates.reduce((most, one) => (one.length > most.length ? one : most), {
    place: 0,
    from: 0,
    length: 0,
  })
  if (length === 0) return { title: plain(title), rest: snippet }
  const repeated = found.slice(from, from + length)
  const last = repeated.at(-1) as Word
  // A word that the title cuts stays whole behind it.
  const isWhole = own[place + length - 1]?.word === last.word
  const rest = [
    ...between(snippet, 0, repeated[0]?.start ?? 0),
    ...between(snippet, isWhole ? last.end : last.start, Number.POSITIVE_INFINITY),
  ]
  const [first, ...others] = rest
  return {
    title: marked(
      title,
      own.filter((_, at) => repeated[at - place]?.isMatch === true),
    ),
    rest: wordsOf(rest).length === 0 ? [] : [...trimmed(first), ...others],
  }
}

/** Without what ended a sentence or a word before it. */
const trimmed = (first: Piece | undefined): readonly Piece[] =>
  first === undefined ? [] : first.isMatch ? [first] : plain(first.text.replace(/^[\s.,:;!?…)\]"'”’]+/u, ''))

/**
 * A whole text with the words that match.
 * @param snippet what the search showed of it
 * @returns anchor the place in `pieces` of the match with which the snippet begins; -1 if nothing matches
 */
export function matchesIn(
  text: string,
  snippet: readonly Piece[],
): { readonly pieces: readonly Piece[]; readonly anchor: number } {
  const found = wordsOf(snippet)
  const wanted = new Set(found.filter(({ isMatch }) => isMatch).map(({ word }) => word))
  const words = wordsOf(plain(text))
  const matches = words.filter(({ word }) => wanted.has(word))
  // The first match of the snippet, by the words after it: the same word may stand elsewhere before.
  const begin = found.findIndex(({ isMatch }) => isMatch)
  const after = found.slice(begin, begin + 4)
  const at = words.findIndex((_, place) =>
    after.every(({ word }, offset) => words[place + offset]?.word === word),
  )
  const pieces = marked(text, matches)
  const start = (begin === -1 ? undefined : words[at]?.start) ?? matches[0]?.start
  let end = 0
  const anchor = pieces.findIndex((piece) => {
    end += piece.text.length
    return piece.isMatch && end - piece.text.length === start
  })
  return { pieces, anchor }
}

/** What stands in logs and in code, and seldom in sentences. */
const SIGNS =
  /\d\d:\d\d:\d\d|[{}](?=\s|$)|[;{]$|\b(?:DEBUG|INFO|WARN|ERROR|FATAL)\b|\bat \S+ ?\(.+:\d+|=>|[=!]==?|\w\(\)|^\s{2,}\S|^\s*(?:const|let|def|import|export|function|return|class)\s/gmu

/** Whether a text is a log or code, which is read in columns. */
export function isCode(text: string): boolean {
  const signs = text.match(SIGNS)?.length ?? 0
  const lines = text.split('\n').filter((line) => line.trim() !== '').length
  return signs > 1 && signs >= lines / 2
}
