import type { TextSpan } from '@daybook/embeddings/embedder'
import { ENGLISH } from '@daybook/lexical-index/lexemes'
import { breakTokens } from '@daybook/memory/break-tokens'
import { foldedParts, questionWords } from '@daybook/memory/fold-words'
import type { Database } from '@daybook/postgres/connect'
import { type RawBuilder, sql } from 'kysely'

/**
 * Private-use characters that mark matches until the rest of the text is escaped. They are removed from
 * texts.
 */
const START = '\uE000'

const STOP = '\uE001'

const MARKS = /[\uE000\uE001]/gu

/**
 * Stands after characters that `breakTokens` would remove, while Postgres looks for matches; a snippet must
 * show them. It is a control character, because every other ASCII character has a meaning, and a database
 * with the locale C takes everything beyond ASCII for letters. It is removed from texts.
 */
const BREAK = '\u0001'

/** About 150 characters: an English word has about 5 letters and a blank. */
const OPTIONS = `StartSel=${START}, StopSel=${STOP}, MaxWords=26, MinWords=16, ShortWord=0, MaxFragments=0`

/** The longest snippet in characters, without marks. Words can be long, and a text need not have blanks. */
const LONGEST = 200

/**
 * For each text, the passage of about 150 characters that matches the wanted words best, or its beginning if
 * none matches. The result is HTML: matches are in `<mark>`, everything else is escaped.
 *
 * @param language of the texts (`languageOf`); default English
 */
export async function snippets(
  db: Database,
  wanted: string,
  texts: readonly string[],
  language: RawBuilder<unknown> = ENGLISH,
): Promise<string[]> {
  if (texts.length === 0) return []
  const clean = texts.map((text) => text.replace(MARKS, ' ').replaceAll(BREAK, ' '))
  // Escaped last, because a cut could fall inside an entity.
  const folded = clean.map(foldedText)
  const parsed = folded.map((text) => breakTokens(text.folded, (joiner) => joiner + BREAK))
  const { rows } = await sql<{ headline: string }>`
    with wanted as materialized (
      select coalesce(string_agg('''' || replace(replace(lexeme, '\\', '\\\\'), '''', '''''') || '''', ' | '), '')::tsquery as any_word
      from unnest(to_tsvector(${language}, ${questionWords(wanted)}))
    )
    select ts_headline(${language}, given.text, any_word, ${OPTIONS}) as headline
    from wanted, unnest(${parsed}::text[]) with ordinality as given(text, place)
    order by place`.execute(db)
  return rows.map(({ headline }, index) => {
    const [text = '', shown] = [clean[index], folded[index]]
    const plain = headline.replaceAll(BREAK, '')
    return toHtml(shown === undefined ? plain : unfolded(plain, text, shown))
  })
}

/** Tells an emoji of several characters, or a letter with its marks, from the next one: a reader sees each as one sign. */
const SIGNS = new Intl.Segmenter('en')

/** A part of a text with the whole of the signs at both ends. */
function wholeSigns(signs: Intl.Segments, { start, end }: TextSpan): TextSpan {
  return { start: signs.containing(start)?.index ?? start, end: endOfSign(signs, end) }
}

function endOfSign(signs: Intl.Segments, at: number): number {
  const sign = signs.containing(at)
  return sign === undefined || sign.index === at ? at : sign.index + sign.segment.length
}

/** A headline of the folded text in the words of the original one. It ends with a word, but not within a sign. */
function unfolded(headline: string, text: string, { folded, original }: FoldedText): string {
  const at = folded.indexOf(headline.replace(MARKS, ''))
  if (at === -1) return headline
  const signs = SIGNS.segment(text)
  const marks: TextSpan[] = []
  let place = at
  let from = at
  for (const part of headline.split(/([\uE000\uE001])/u)) {
    if (part === START) from = place
    else if (part === STOP) marks.push(wholeSigns(signs, original(from, place)))
    else place += part.length
  }
  let shown = ''
  const whole = wholeSigns(signs, original(at, place))
  let after = whole.start
  for (const { start, end } of marks) {
    // Pairs of letters overlap.
    if (start < after && shown.endsWith(STOP)) shown = shown.slice(0, -1) + text.slice(after, end) + STOP
    else shown += text.slice(after, start) + START + text.slice(Math.max(after, start), end) + STOP
    after = Math.max(after, end)
  }
  return shown + text.slice(after, whole.end)
}

/** A snippet as plain text: without marks, nothing escaped. It is not HTML and may hold anything. */
export const plainSnippet = (html: string): string =>
  html
    .replace(/<\/?mark>/gu, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

function toHtml(headline: string): string {
  const oneLine = shorten(headline.replace(/\s+/gu, ' ').trim())
  return oneLine
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll(START, '<mark>')
    .replaceAll(STOP, '</mark>')
}

/** Cuts around the first match, and never between a mark and its end, or within a sign that fits. */
function shorten(text: string): string {
  if (text.replace(MARKS, '').length <= LONGEST) return text
  const signs = SIGNS.segment(text)
  const start = endOfSign(signs, Math.max(0, text.indexOf(START) - LONGEST / 4))
  const last = signs.containing(start + LONGEST)?.index ?? text.length
  const part = text.slice(start, last > start ? last : start + LONGEST)
  const open = part.lastIndexOf(START) > part.lastIndexOf(STOP)
  // Removes half of a character, where a sign does not fit.
  return `${start > 0 ? '…' : ''}${part}${open ? STOP : ''}…`.replace(/\p{Surrogate}/gu, '')
}

/** A text as it is searched, and where it is from. */
interface FoldedText {
  readonly folded: string
  /** The part of the original text that a part of the folded one is from. */
  original(start: number, end: number): TextSpan
}

/** Folds a text that is shown: words are found in the folded one (`fold-words.ts`), the original is shown. */
function foldedText(text: string): FoldedText {
  const pieces: string[] = []
  // For each character of the folded text, the part of the original that it is from.
  const from: number[] = []
  const to: number[] = []
  const keep = (start: number, end: number) => {
    pieces.push(text.slice(start, end))
    for (let at = start; at < end; at++) {
      from.push(at)
      to.push(at + 1)
    }
  }
  let after = 0
  for (const { start, end, word } of foldedParts(text)) {
    if (start > after) keep(after, start)
    pieces.push(word)
    for (const _ of word.split('')) {
      from.push(start)
      to.push(end)
    }
    after = end
  }
  keep(after, text.length)
  return {
    folded: pieces.join(''),
    original: (start, end) => ({ start: from[start] ?? text.length, end: to[end - 1] ?? text.length }),
  }
}
