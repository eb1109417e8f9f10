import type { Embedder, TextSpan } from './embedder.ts'

/** A part of a text and the vector of that part. */
export interface EmbeddedChunk extends TextSpan {
  readonly vector: Float32Array
}

/**
 * Cuts every text where the model needs it, and embeds all parts of all texts in one bulk call, so that the
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
  const vectors = await embedder.embed(parts, { priority: 'bulk' })
  let next = 0
  return spansOfTexts.map((spans) =>
    spans.map(({ start, end }) => ({ start, end, vector: vectors[next++]! })),
  )
}
