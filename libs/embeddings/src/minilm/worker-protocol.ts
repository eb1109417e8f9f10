import { EmbedderError, type EmbedderErrorCode, type QueryEmbedding, type TextSpan } from '../embedder.ts'
import type { Precision } from './bert-onnx.ts'
import type { NativeGate } from './native-gate.ts'
import type { PackedEmbeddings } from './packed-embeddings.ts'

/** How the worker is started. */
export interface WorkerSettings {
  readonly cacheDir: string
  readonly modelDir: string | undefined
  readonly precision: Precision
  /** Threads inside one operation of the model. */
  readonly threads: number
  /** Busy while the worker is in native code. */
  readonly gate: NativeGate
}

/** Facts that a worker sends once, when its model is loaded. */
export interface ModelFacts {
  readonly modelId: string
  readonly dimension: number
  readonly maxTokens: number
}

/** A message to the worker. */
export type WorkerRequest =
  | { readonly type: 'chunk' | 'count' | 'embed'; readonly id: number; readonly texts: readonly string[] }
  | { readonly type: 'query'; readonly id: number; readonly text: string }
  | { readonly type: 'close' }

/** An error as it crosses threads: structured cloning would drop its class and code. */
export interface PlainError {
  readonly code: EmbedderErrorCode
  readonly message: string
}

/** A message from the worker. */
export type WorkerReply =
  | { readonly type: 'progress'; readonly message: string }
  | ({ readonly type: 'ready' } & ModelFacts)
  | { readonly type: 'unusable'; readonly error: PlainError }
  | { readonly type: 'chunked'; readonly id: number; readonly spans: TextSpan[][] }
  | { readonly type: 'counted'; readonly id: number; readonly counts: number[] }
  | ({ readonly type: 'embedded'; readonly id: number } & PackedEmbeddings)
  | { readonly type: 'query-embedded'; readonly id: number; readonly embedding: QueryEmbedding }
  | { readonly type: 'failed'; readonly id: number; readonly error: PlainError }

/** The error to send. */
export const toPlainError = ({ code, message }: EmbedderError): PlainError => ({ code, message })
/** The error as it was before it was sent. */
export const fromPlainError = ({ code, message }: PlainError): EmbedderError =>
  new EmbedderError(code, message)
