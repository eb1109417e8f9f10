import type { TextSpan } from '../embedder.ts'
import { createWordCounter, type Tokenize } from './tokenizer.ts'

/** The limits of a chunk. */
export interface ChunkLimits {
  /** Most tokens in a chunk, including special tokens. */
  readonly maxTokens: number
  /** Most tokens that a chunk shares with the one before it. It shares whole words, so it may be fewer. */
  readonly overlapTokens: number
}

/** A stretch of text that is not cut; it ends where the next one starts. */
interface Unit extends TextSpan {
  readonly tokens: number
}

/**
 * Words with more tokens (CJK prose, minified JSON, base64) are cut inside; otherwise chunks could not be
 * filled.
 */
const LONG_WORD_TOKENS = 64

/** Up to 16 letters or digits, or one code point of anything else; never half of a surrogate pair. */
const WORD_PIECE = /[\p{L}\p{N}\p{M}_]{1,16}|./gsu

/**
 * Makes the function that cuts a text into chunks.
 *
 * transformers.js tokenizers do not say where in the text a token was, so the tokens of single words are
 * counted and added up. BERT's tokenizer splits at white space first, so the sum is nearly always right.
 * Exceptions: lower-casing looks at neighbours, a word cut inside has other pieces, and a configured model
 * may tokenise differently. So each chunk is tokenised as a whole before it is returned, and shortened if it
 * does not fit.
 *
 * A text of 64 KiB takes 60 to 310 ms (docs/measurements.md#chunking).
 */
export function createChunker(tokenize: Tokenize, limits: ChunkLimits): (text: string) => TextSpan[] {
  const countTokens = createWordCounter(tokenize)
  const budget = limits.maxTokens - tokenize('').length

  return (text) => {
    const units = splitUnits(text, countTokens)
    if (units.length === 0) return [{ start: 0, end: text.length }]
    const spans: TextSpan[] = []
    let first = 0
    for (;;) {
      let end = fill(units, first, budget)
      // A single unit passes in any case: it is one code point or a word of at most LONG_WORD_TOKENS.
      while (end > first + 1 && tokenize(textOf(text, units, first, end)).length > limits.maxTokens) {
        end -= Math.max(1, (end - first) >> 4)
      }
      spans.push({ start: units[first]!.start, end: units[end - 1]!.end })
      if (end === units.length) return spans
      first = overlapStart(units, first, end, limits.overlapTokens)
    }
  }
}

/**
 * Covers the text without gaps. White space belongs to the word before it, leading white space to the first
 * word.
 */
function splitUnits(text: string, countTokens: (word: string) => number): Unit[] {
  const units: Unit[] = []
  let covered = 0
  const add = (end: number, tokens: number) => {
    units.push({ start: covered, end, tokens })
    covered = end
  }
  // The pattern excludes white space: matching long runs of it takes quadratic time.
  for (const { 0: word, index } of text.matchAll(/\S+/g)) {
    // The previous word ends here, including its white space.
    const previous = units.pop()
    if (previous) {
      covered = previous.start
      add(index, previous.tokens)
    }
    const tokens = countTokens(word)
    if (tokens <= LONG_WORD_TOKENS) add(index + word.length, tokens)
    else {
      for (const piece of word.matchAll(WORD_PIECE))
        add(index + piece.index + piece[0].length, countTokens(piece[0]))
    }
  }
  const last = units.at(-1)
  if (last) units[units.length - 1] = { ...last, end: text.length }
  return units
}

const textOf = (text: string, units: readonly Unit[], from: number, to: number) =>
  text.slice(units[from]!.start, units[to - 1]!.end)

/** Index after the last unit that still fits, at least `from + 1`. */
function fill(units: readonly Unit[], from: number, budget: number): number {
  let tokens = units[from]!.tokens
  let end = from + 1
  while (end < units.length && tokens + units[end]!.tokens <= budget) tokens += units[end++]!.tokens
  return end
}

/**
 * Where the next chunk starts: as far before `end` as the overlap allows, but after `first`, so that it makes
 * progress.
 */
function overlapStart(units: readonly Unit[], first: number, end: number, overlap: number): number {
  let start = end
  let tokens = 0
  while (start - 1 > first && tokens + units[start - 1]!.tokens <= overlap) tokens += units[--start]!.tokens
  return start
}
