import type { TextSpan } from '@daybook/embeddings/embedder'

/** A chunk of a text, as it was embedded, and how many tokens the model made of it. */
export interface ChunkTokens extends TextSpan {
  readonly tokens: number
}

/** A passage is made of whole sentences until it has as many characters as a snippet shows. */
const PASSAGE_LENGTH = 150

/**
 * Finds the sentence of a text whose tokens match the question best, and the sentences after it that a snippet
 * has room for.
 *
 * The model does not say where in the text a token was, so a sentence's tokens are taken for as large a part
 * of its chunk's tokens as its characters are of the chunk's characters.
 *
 * @param chunks of the text in order; without any, the whole text is returned
 * @param scoreOf how well some consecutive tokens match. Tokens are counted from the text's first, through all
 *   chunks; `to` is exclusive
 */
export function bestPassage(
  text: string,
  chunks: readonly ChunkTokens[],
  scoreOf: (from: number, to: number) => number,
): TextSpan {
  const sentences = sentencesOf(text)
  let best = { index: -1, score: Number.NEGATIVE_INFINITY }
  for (const [index, sentence] of sentences.entries()) {
    const range = tokensOf(sentence, chunks)
    const score = range === null ? Number.NEGATIVE_INFINITY : scoreOf(range.from, range.to)
    if (score > best.score) best = { index, score }
  }
  const first = sentences[best.index]
  if (first === undefined) return { start: 0, end: text.length }
  let { end } = first
  for (const sentence of sentences.slice(best.index + 1)) {
    if (end - first.start >= PASSAGE_LENGTH) break
    end = sentence.end
  }
  return { start: first.start, end }
}

const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })

/** The sentences of a text. Intl knows sentences; a line of a list or a heading is one here, too. */
function sentencesOf(text: string): TextSpan[] {
  const sentences: TextSpan[] = []
  for (const { index, segment } of segmenter.segment(text))
    if (segment.trim() !== '') sentences.push({ start: index, end: index + segment.length })
  return sentences
}

/** The tokens of a span, in the chunk that has most of it; null if none has any. */
function tokensOf(span: TextSpan, chunks: readonly ChunkTokens[]): { from: number; to: number } | null {
  let best = { shared: 0, from: 0, to: 0 }
  let before = 0
  for (const chunk of chunks) {
    const start = Math.max(span.start, chunk.start)
    const end = Math.min(span.end, chunk.end)
    if (end - start > best.shared && chunk.tokens > 0) {
      const perCharacter = chunk.tokens / (chunk.end - chunk.start)
      const from = Math.min(Math.floor((start - chunk.start) * perCharacter), chunk.tokens - 1)
      const to = Math.max(Math.ceil((end - chunk.start) * perCharacter), from + 1)
      best = { shared: end - start, from: before + from, to: before + Math.min(to, chunk.tokens) }
    }
    before += chunk.tokens
  }
  return best.shared === 0 ? null : best
}
