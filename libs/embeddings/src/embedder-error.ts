import { reasonOf } from '@daybook/runtime/reason-of'

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
