import { reasonOf } from '@daybook/runtime/reason-of'

/** Part of a text: UTF-16 offsets into it, `end` exclusive. */
export interface TextSpan {
  readonly start: number
  readonly end: number
}

/** What a model says of a text. */
export interface Embedding {
  /** Of length 1, so that the dot product of two is their cosine similarity. */
  readonly vector: Float32Array
  /** The bits of its tokens (`token-bits/token-bits.ts`); null if the model gives none. */
  readonly tokenBits: Uint8Array | null
}

/** What a model says of a question's tokens, to be compared with the token bits of memories. */
export interface QueryTokens {
  /** The word of each token, in lower case and without accents. All pieces of a word name the whole word. */
  readonly words: readonly string[]
  /** `dimension` numbers for each token, one token after another, each of length 1. */
  readonly states: Float32Array
}

/** What a model says of a question. */
export interface QueryEmbedding {
  readonly vector: Float32Array
  /** Null if the model's texts have no token bits. */
  readonly tokens: QueryTokens | null
}

/** The options of `Embedder.embedQuery`. */
interface QueryOptions {
  /**
   * The project that searches. An embedder that remembers queries does so per project, and not at all without
   * one.
   */
  readonly projectId?: string
}

/** Turns texts into vectors. All methods reject only with an {@link EmbedderError} (`embedder.ts`). */
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
   * Embeds texts for an index, in the background: queries overtake them. The order is that of the texts.
   *
   * A text over `maxTokens` is never cut silently but rejected with `TEXT_TOO_LONG`: chunk it first.
   */
  embed(texts: readonly string[]): Promise<Embedding[]>

  /**
   * Embeds a question for somebody who searches now. It overtakes every text that is not yet being computed.
   *
   * A question over `maxTokens` is cut to its first `maxTokens` tokens by design: a page pasted into the
   * search box is answered by its beginning rather than refused.
   */
  embedQuery(text: string, options?: QueryOptions): Promise<QueryEmbedding>

  /**
   * How many tokens each text has in the model's own words, without special tokens. Absent where the model's
   * tokenizer is not here, as with a remote provider: `countTokens` (`embedders.ts`) then estimates.
   */
  countTokens?(texts: readonly string[]): Promise<number[]>

  /** Rejects waiting calls with `CLOSED` and frees the model. May be called twice. */
  close(): Promise<void>
}

/**
 * What can go wrong with an embedder:
 * - `TEXT_TOO_LONG`: a bulk text is over the model's limit; chunk it first
 * - `MODEL_NOT_FOUND`: no source has the model
 * - `MODEL_UNUSABLE`: there is a model, but it cannot be converted or loaded
 * - `INFERENCE_FAILED`: the model failed on a batch
 * - `WORKER_CRASHED`: the worker thread died; a later call starts a new one, so retrying makes sense
 * - `PROVIDER_UNAVAILABLE`: the provider cannot be reached, is too slow, overloaded, or asks to wait
 * - `PROVIDER_REFUSED_KEY`: the provider does not accept the key
 * - `PROVIDER_REFUSED_TEXT`: the provider refuses a request for another reason
 * - `WRONG_DIMENSION`: the model's vectors have another length than its name says
 * - `CLOSED`: `close()` was called
 */
export type EmbedderErrorCode =
  | 'TEXT_TOO_LONG'
  | 'NO_KNOWN_WORD'
  | 'MODEL_NOT_FOUND'
  | 'MODEL_UNUSABLE'
  | 'INFERENCE_FAILED'
  | 'WORKER_CRASHED'
  | 'PROVIDER_UNAVAILABLE'
  | 'PROVIDER_REFUSED_KEY'
  | 'PROVIDER_REFUSED_TEXT'
  | 'WRONG_DIMENSION'
  | 'CLOSED'

/** A failure of an embedder. The message says what to do about it. */
export class EmbedderError extends Error {
  readonly code: EmbedderErrorCode

  constructor(code: EmbedderErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbedderError'
    this.code = code
  }
}

/** The failures that are not of one text: any other text would fail now, too. */
const OF_ALL_TEXTS: ReadonlySet<EmbedderErrorCode> = new Set([
  'PROVIDER_UNAVAILABLE',
  'PROVIDER_REFUSED_KEY',
  'MODEL_NOT_FOUND',
  'WRONG_DIMENSION',
])

/** Whether an embedder failed as a whole, so that no single text is to blame. */
export const isEmbedderDown = (error: unknown): boolean =>
  error instanceof EmbedderError && OF_ALL_TEXTS.has(error.code)

/**
 * Returns `error` itself if it is an EmbedderError, else wraps it under `code`, with `context` before its
 * message.
 */
export function asEmbedderError(error: unknown, code: EmbedderErrorCode, context: string): EmbedderError {
  if (error instanceof EmbedderError) return error
  return new EmbedderError(code, `${context}: ${reasonOf(error)}`, { cause: error })
}
