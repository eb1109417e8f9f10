import { entryText } from '@daybook/memory/entry-text'
import { type MemoryState, memoryIdOf } from '@daybook/memory/state'
import type { TokenCounter } from './token-counter.ts'

/** A memory's text as an entry that fits. */
export interface FittedText {
  readonly said: string
  readonly tokens: number
  readonly whole: boolean
}

/** The number with the most digits that is likely. The real one is known when all entries are chosen. */
const SOME_NUMBER = 99

/** The tokens of an entry with the line end behind it. */
export const entryTokens = (counter: TokenCounter, state: MemoryState, said: string): Promise<number> =>
  counter.count(`${entryText(SOME_NUMBER, { ...state, id: memoryIdOf(state) }, said)}\n`)

/** No tokenizer's count is lower than one token for 8 bytes (`count-tokens.ts`). */
const cannotFit = (said: string, room: number): boolean => Buffer.byteLength(said) > room * 8

/**
 * The form of a memory's text that fits: the whole text if it leaves half of the room to others, else the first of
 * its shorter `passages` that fits, else the whole text if there is no other way. Null if none fits.
 */
export async function fitText(
  counter: TokenCounter,
  state: MemoryState,
  text: string,
  passages: readonly string[],
  room: number,
): Promise<FittedText | null> {
  const whole = cannotFit(text, room) ? null : await entryTokens(counter, state, text)
  if (whole !== null && whole <= room / 2) return { said: text, tokens: whole, whole: true }
  for (const said of passages.filter((passage) => passage.length < text.length)) {
    if (cannotFit(said, room)) continue
    const tokens = await entryTokens(counter, state, said)
    if (tokens <= room) return { said, tokens, whole: false }
  }
  return whole !== null && whole <= room ? { said: text, tokens: whole, whole: true } : null
}

/** How much of a text is tried next if it does not fit. */
const SHORTER = 0.8

/** The beginning of a text that fits, cut at a blank; null if not even a few words do. */
export async function cutText(
  counter: TokenCounter,
  state: MemoryState,
  text: string,
  room: number,
): Promise<FittedText | null> {
  // No more can fit, and a document would be counted over and over.
  let length = Math.min(text.length, room * 8)
  for (; length >= 20; length = Math.floor(length * SHORTER)) {
    const begun = text.slice(0, length).toWellFormed()
    const said = `${begun.slice(0, Math.max(begun.search(/\s\S*$/u), length >> 1)).trimEnd()} …`
    const tokens = await entryTokens(counter, state, said)
    if (tokens <= room) return { said, tokens, whole: false }
  }
  return null
}
