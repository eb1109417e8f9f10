import { daysNamedIn, dayWord } from './day-words.ts'
import { indexedWords } from './fold-words.ts'
import { type MemoryState, textOf } from './state.ts'

const dayInWords = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/**
 * How many bytes of a text are indexed. Three text fields of the longest allowed size fit; a list of 256 long
 * items may not. Postgres refuses more than 1 MiB of lexemes; they take up to four times the size of the text, and the parts of
 * names (`PARTS_LENGTH`) come on top.
 */
export const INDEXED_BYTES = 200 * 1024

function beginning(text: string): string {
  if (Buffer.byteLength(text) <= INDEXED_BYTES) return text
  const cut = Buffer.from(text).toString('utf8', 0, INDEXED_BYTES)
  // A cut through a character leaves one U+FFFD: the decoder takes the bytes of a character together.
  return cut.endsWith('\uFFFD') ? cut.slice(0, -1) : cut
}

/**
 * What the lexical index holds of a memory: its text (which includes the title's words), its labels, its
 * day in words ("8 May 2023"), as questions say it, and one word for that day and for each that the text names, however it
 * writes them. The day is worth .06 of recall@10 on LoCoMo. As it is searched (`fold-words.ts`).
 */
export function lexicalText(state: MemoryState): string {
  const text = beginning(textOf(state))
  const own = Date.parse(state.occurredAt ?? state.createdAt)
  const days = new Set([dayWord(own), ...daysNamedIn(text, own)])
  return indexedWords([text, state.labels.join(' '), dayInWords.format(own), [...days].join(' ')].join('\n'))
}
