/** Part of a text: UTF-16 offsets into it, `end` exclusive. */
export interface TextSpan {
  readonly start: number
  readonly end: number
}

/**
 * Who waits for the result: `query` for somebody who searches now, `bulk` for background indexing. A query
 * overtakes every bulk text that is not yet being computed.
 */
export type EmbedPriority = 'query' | 'bulk'

/** The options of `Embedder.embed`. */
export interface EmbedOptions {
  /** Default `bulk`. */
  readonly priority?: EmbedPriority
  /**
   * The project that searches. An embedder that remembers queries does so per project, and not at all without
   * one.
   */
  readonly projectId?: string
}

/** Turns texts into vectors. All methods reject only with an {@link EmbedderError} (`embedder-error.ts`). */
export interface Embedder {
  /** Names weights and precision, such as `all-MiniLM-L6-v2/fp32`. Never compare vectors of different ids. */
  readonly modelId: string
  /** How many numbers a vector has. */
  readonly dimension: number
  /** The longest text that is embedded whole, in the model's tokens including its special tokens. */
  readonly maxTokens: number

  /**
   * Where to cut each text so that every part fits `maxTokens`. A text that fits (or is empty) gives one
   * span. Spans are in order, leave no gap and overlap a little, so that a sentence at a cut is whole in one
   * of them.
   */
  chunk(texts: readonly string[]): Promise<TextSpan[][]>

  /**
   * One vector per text, of length 1 (so the dot product is the cosine similarity), in the order given.
   *
   * A text over `maxTokens` is never cut silently: `bulk` (the default) rejects with `TEXT_TOO_LONG`; chunk
   * it first. `query` cuts it to its first `maxTokens` tokens by design: a page pasted into the search box is
   * answered by its beginning rather than refused.
   */
  embed(texts: readonly string[], options?: EmbedOptions): Promise<Float32Array[]>

  /** Rejects waiting calls with `CLOSED` and frees the model. May be called twice. */
  close(): Promise<void>
}
