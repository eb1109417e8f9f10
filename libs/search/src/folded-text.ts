import type { TextSpan } from '@daybook/embeddings/embedder'
import { foldedParts } from '@daybook/memory/fold-words'

/** A text as it is searched, and where it is from. */
export interface FoldedText {
  readonly folded: string
  /** The part of the original text that a part of the folded one is from. */
  original(start: number, end: number): TextSpan
}

/** Folds a text that is shown: words are found in the folded one (`fold-words.ts`), the original is shown. */
export function foldedText(text: string): FoldedText {
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
