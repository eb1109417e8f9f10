/** Part of a text: UTF-16 offsets into it, `end` exclusive. */
export interface TextSpan {
  readonly start: number
  readonly end: number
}

/**
 * Who is waiting: `query` for somebody who searches now, `bulk` for texts that are indexed in the background.
 * A query overtakes every bulk text that is not yet being computed.
 */
export type EmbedPriority = 'query' | 'bulk'

export interface EmbedOptions {
  /** Default `bulk`. */
  readonly priority?: EmbedPriority
  /** The project that searches. Who remembers queries remembers them for it alone, and without it not at all. */
  readonly projectId?: string
}

/** Turns texts into vectors. All methods reject with an {@link EmbedderError} (`embedder-error.ts`) and nothing else. */
export interface Embedder {
  /** Names weights and precision, e.g. `all-MiniLM-L6-v2/fp32`. Vectors of different ids must never be compared. */
  readonly modelId: string
  /** Numbers in a vector. */
  readonly dimension: number
  /** Longest text that is embedded whole, in the model's tokens, its special tokens included. */
  readonly maxTokens: number

  /**
   * Where a text must be cut so that each part fits `maxTokens`; one span over the whole text if it fits already (also
   * for an empty text). Spans are in order, leave no gap and overlap a little, so that a sentence on a seam is whole in one.
   */
  chunk(texts: readonly string[]): Promise<TextSpan[][]>

  /**
   * One vector a text, of length 1 (so cosine similarity is the dot product), in the order asked.
   *
   * A text over `maxTokens` is never cut silently: `bulk` (the default) rejects with `TEXT_TOO_LONG`, chunk it first.
   * `query` is cut to its first `maxTokens` tokens by design: whoever pastes a page into the search box is answered by
   * its beginning rather than refused.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>

  /** Rejects what is waiting with `CLOSED` and frees the model. May be called twice. */
  close(): Promise<void>
}
