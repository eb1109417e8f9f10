import { breakTokens } from './break-tokens.ts'
import { type MemoryState, textOf } from './state.ts'

const dayInWords = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/**
 * Bytes of a text that are indexed. Three text fields of the longest allowed fit; a list of 256 long items may not, and
 * Postgres refuses to make more than 1 MiB of lexemes, which come to up to four times the text.
 */
export const INDEXED_BYTES = 256 * 1024

function beginning(text: string): string {
  if (Buffer.byteLength(text) <= INDEXED_BYTES) return text
  const cut = Buffer.from(text).toString('utf8', 0, INDEXED_BYTES)
  // A character that the cut goes through becomes U+FFFD: one, as the decoder takes the bytes of it together.
  return cut.endsWith('\uFFFD') ? cut.slice(0, -1) : cut
}

/**
 * What the lexical index holds of a memory: its text (the title's words are in it), its labels, and the day on which it
 * happened in words ("8 May 2023"), as questions say it. The day is worth .06 of recall@10 on LoCoMo. Safe for Postgres'
 * parser, as `breakTokens` says.
 */
export function lexicalText(state: MemoryState): string {
  const day = dayInWords.format(new Date(state.occurredAt ?? state.createdAt))
  return breakTokens([beginning(textOf(state)), state.labels.join(' '), day].join('\n'))
}
