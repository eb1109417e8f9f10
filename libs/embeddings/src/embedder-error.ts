import { reasonOf } from '@daybook/runtime/reason-of'

/**
 * What can go wrong with an embedder:
 * - `TEXT_TOO_LONG`: a bulk text is over the model's limit; chunk it first
 * - `MODEL_NOT_FOUND`: no source has the model
 * - `MODEL_UNUSABLE`: there is a model, but it cannot be converted or loaded
 * - `INFERENCE_FAILED`: the model refused a batch
 * - `WORKER_CRASHED`: the worker thread died; a later call starts another, so retrying makes sense
 * - `CLOSED`: `close()` was called
 */
export type EmbedderErrorCode =
  | 'TEXT_TOO_LONG'
  | 'MODEL_NOT_FOUND'
  | 'MODEL_UNUSABLE'
  | 'INFERENCE_FAILED'
  | 'WORKER_CRASHED'
  | 'CLOSED'

/** An embedder's failure; the message says what to do about it. */
export class EmbedderError extends Error {
  readonly code: EmbedderErrorCode

  constructor(code: EmbedderErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'EmbedderError'
    this.code = code
  }
}

/** `error` itself if it has a code already, else wrapped under `code` with `context` before its message. */
export function asEmbedderError(error: unknown, code: EmbedderErrorCode, context: string): EmbedderError {
  if (error instanceof EmbedderError) return error
  return new EmbedderError(code, `${context}: ${reasonOf(error)}`, { cause: error })
}
