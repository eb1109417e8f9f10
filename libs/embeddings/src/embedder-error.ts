import { reasonOf } from '@daybook/runtime/reason-of'

/**
 * What can go wrong with an embedder:
 * - `TEXT_TOO_LONG`: a bulk text is over the model's limit; chunk it first
 * - `MODEL_NOT_FOUND`: no source has the model
 * - `MODEL_UNUSABLE`: there is a model, but it cannot be converted or loaded
 * - `INFERENCE_FAILED`: the model failed on a batch
 * - `WORKER_CRASHED`: the worker thread died; a later call starts a new one, so retrying makes sense
 * - `CLOSED`: `close()` was called
 */
export type EmbedderErrorCode =
  | 'TEXT_TOO_LONG'
  | 'MODEL_NOT_FOUND'
  | 'MODEL_UNUSABLE'
  | 'INFERENCE_FAILED'
  | 'WORKER_CRASHED'
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

/**
 * Returns `error` itself if it is an EmbedderError, else wraps it under `code`, with `context` before its
 * message.
 */
export function asEmbedderError(error: unknown, code: EmbedderErrorCode, context: string): EmbedderError {
  if (error instanceof EmbedderError) return error
  return new EmbedderError(code, `${context}: ${reasonOf(error)}`, { cause: error })
}
