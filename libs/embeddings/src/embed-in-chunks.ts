import type { Embedder, Embedding, TextSpan } from './embedder.ts'

/** A part of a text and what the model says of that part. */
export interface EmbeddedChunk extends TextSpan, Embedding {}

/**
 * Cuts every text where the model needs it, and embeds all parts of all texts in one call, so that the
 * model can batch them by length across texts.
 *
 * @returns for each text, in order, its chunks in order; at least one
 * @throws EmbedderError as {@link Embedder.embed} does, except `TEXT_TOO_LONG`
 */
export async function embedInChunks(
  embedder: Embedder,
  texts: readonly string[],
): Promise<EmbeddedChunk[][]> {
  if (texts.length === 0) return []
  const spansOfTexts = await embedder.chunk(texts)
  const parts = spansOfTexts.flatMap((spans, i) => spans.map(({ start, end }) => texts[i]!.slice(start, end)))
  const embeddings = await embedder.embed(parts)
  let next = 0
  return spansOfTexts.map((spans) => spans.map(({ start, end }) => ({ start, end, ...embeddings[next++]! })))
}
