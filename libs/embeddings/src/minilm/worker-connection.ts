import { Worker } from 'node:worker_threads'
import { EmbedderError, type Embedding, type QueryEmbedding, type TextSpan } from '../embedder.ts'
import { createNativeGate, shutGate } from './native-gate.ts'
import { type PackedEmbeddings, unpackEmbeddings } from './packed-embeddings.ts'
import { findWorkerEntry } from './worker-entry.ts'
import {
  fromPlainError,
  type ModelFacts,
  type WorkerReply,
  type WorkerRequest,
  type WorkerSettings,
} from './worker-protocol.ts'

/** A worker that has loaded its model. Every call settles, at the latest when the thread ends. */
export interface WorkerConnection extends ModelFacts {
  chunk(texts: readonly string[]): Promise<TextSpan[][]>
  embed(texts: readonly string[]): Promise<Embedding[]>
  count(texts: readonly string[]): Promise<number[]>
  embedQuery(text: string): Promise<QueryEmbedding>
  /** Ends the thread. Unfinished calls are rejected with `CLOSED`. */
  close(): Promise<void>
}

/** The options of `connectWorker`. */
export interface ConnectOptions extends Omit<WorkerSettings, 'gate'> {
  readonly onProgress: ((message: string) => void) | undefined
  /** Called when the loaded worker ends without `close()`, after all unfinished calls were rejected. */
  readonly onCrash: () => void
}

/** Longest time that the end of a process waits for the current batch, in milliseconds. */
const EXIT_TIMEOUT_MS = 8_000
/** A thread that has not ended after this many milliseconds is killed; a batch takes 0.1 s. */
const CLOSE_TIMEOUT = 10_000

/**
 * Heap for the thread's short-lived objects, in MB. The tokenizer needs a few kB per text; V8 would reserve
 * 48 MB.
 */
const YOUNG_MB = 6

interface PendingCall {
  /** Which result belongs to which request, types cannot follow. */
  resolve(result: never): void
  reject(error: EmbedderError): void
}

/**
 * Starts a worker and waits until its model is loaded.
 *
 * @throws EmbedderError `MODEL_NOT_FOUND` or `MODEL_UNUSABLE` as the worker reports, `WORKER_CRASHED` if it
 * dies first
 */
export async function connectWorker(options: ConnectOptions): Promise<WorkerConnection> {
  const { cacheDir, modelDir, precision, threads, onProgress, onCrash } = options
  const entry = findWorkerEntry()
  const gate = createNativeGate()
  // Read natively: ONNX Runtime 1.30 would ask a host of Microsoft, and write a device id into ~/.cache. A thread cannot set it.
  process.env['ORT_DISABLE_TELEMETRY'] = '1'
  const worker = new Worker(entry.url, {
    workerData: { cacheDir, modelDir, precision, threads, gate } satisfies WorkerSettings,
    name: 'daybook-embedding',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    ...(entry.execArgv && { execArgv: entry.execArgv }),
  })
  const waiting = new Map<number, PendingCall>()
  let lastId = 0
  let isReady = false
  let closing = false
  let whenReady: { resolve(facts: ModelFacts): void; reject(error: EmbedderError): void }
  const ready = new Promise<ModelFacts>((resolve, reject) => {
    whenReady = { resolve, reject }
  })
  // process.exit() stops the thread anywhere. A batch of long texts takes seconds on a busy machine.
  const shutAtExit = () => void shutGate(gate, EXIT_TIMEOUT_MS)
  process.once('exit', shutAtExit)
  let cause: unknown
  worker.once('error', (error) => {
    cause = error
  })
  let markEnded!: () => void
  const ended = new Promise<void>((resolve) => {
    markEnded = resolve
    worker.once('exit', () => {
      process.off('exit', shutAtExit)
      const failure = closing ? closed() : crashed(cause)
      whenReady.reject(failure)
      rejectAll(failure)
      if (isReady && !closing) onCrash()
      resolve()
    })
  })

  worker.on('message', (reply: WorkerReply) => {
    if (reply.type === 'progress') onProgress?.(reply.message)
    else if (reply.type === 'ready') whenReady.resolve(reply)
    else if (reply.type === 'unusable') whenReady.reject(fromPlainError(reply.error))
    else settle(reply)
  })

  function settle(reply: Extract<WorkerReply, { id: number }>): void {
    const request = waiting.get(reply.id)
    if (!request) return
    waiting.delete(reply.id)
    if (reply.type === 'failed') request.reject(fromPlainError(reply.error))
    else request.resolve(resultOf(reply) as never)
  }

  function rejectAll(error: EmbedderError): void {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function send(request: WorkerRequest): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
    worker.postMessage(request)
  }

  function call<T>(request: (id: number) => WorkerRequest): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      send(request(id))
    })
  }

  /** Ends a thread that does not respond. If it is stuck in native code, lets the process end without it. */
  function giveUp(): void {
    if (shutGate(gate)) void worker.terminate()
    else {
      worker.unref()
      markEnded()
    }
  }

  const { modelId, dimension, maxTokens } = await ready
  isReady = true
  return {
    modelId,
    dimension,
    maxTokens,
    chunk: (texts) => call((id) => ({ type: 'chunk', id, texts })),
    count: (texts) => call((id) => ({ type: 'count', id, texts })),
    async embed(texts) {
      if (texts.length === 0) return []
      return unpackEmbeddings(await call<PackedEmbeddings>((id) => ({ type: 'embed', id, texts })), dimension)
    },
    embedQuery: (text) => call((id) => ({ type: 'query', id, text })),
    async close() {
      closing = true
      rejectAll(closed())
      send({ type: 'close' })
      const killer = setTimeout(giveUp, CLOSE_TIMEOUT)
      await ended
      clearTimeout(killer)
    },
  }
}

const closed = () => new EmbedderError('CLOSED', 'The embedder was closed')

function crashed(cause: unknown): EmbedderError {
  const reason = cause instanceof Error ? cause.message : 'it ended without an error'
  return new EmbedderError('WORKER_CRASHED', `The embedding worker died (${reason}); try again`, { cause })
}

function resultOf(reply: Exclude<Extract<WorkerReply, { id: number }>, { type: 'failed' }>) {
  if (reply.type === 'chunked') return reply.spans
  if (reply.type === 'counted') return reply.counts
  return reply.type === 'query-embedded' ? reply.embedding : reply
}
