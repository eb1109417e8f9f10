import { Worker } from 'node:worker_threads'
import type { EmbedPriority, TextSpan } from '../embedder.ts'
import { EmbedderError } from '../embedder-error.ts'
import { createNativeGate, shutGate } from './native-gate.ts'
import { findWorkerEntry } from './worker-entry.ts'
import {
  fromPlainError,
  type ModelFacts,
  type WorkerReply,
  type WorkerRequest,
  type WorkerSettings,
} from './worker-protocol.ts'

/** A worker that has loaded its model. Every call is settled, at the latest when the thread ends. */
export interface WorkerConnection extends ModelFacts {
  chunk(texts: readonly string[]): Promise<TextSpan[][]>
  embed(texts: readonly string[], priority: EmbedPriority): Promise<Float32Array[]>
  /** Ends the thread; what is in flight is rejected with `CLOSED`. */
  close(): Promise<void>
}

export interface ConnectOptions extends Omit<WorkerSettings, 'gate'> {
  readonly onProgress: ((message: string) => void) | undefined
  /** The loaded worker ended without having been asked to. Called after everything in flight was rejected. */
  readonly onCrash: () => void
}

/** A thread that does not end by itself within this time (milliseconds; a batch takes 0.1 s) is killed. */
/** Longest that the end of a process waits for the batch under way. */
const EXIT_TIMEOUT_MS = 8_000
const CLOSE_TIMEOUT = 10_000

/** Of the thread's short-lived objects, in MB: the tokeniser's, a few kB a text. V8 would set 48 aside. */
const YOUNG_MB = 6

interface Waiting {
  resolve(result: never): void
  reject(error: EmbedderError): void
}

/**
 * Starts a worker and waits until its model is loaded.
 *
 * @throws EmbedderError `MODEL_NOT_FOUND` or `MODEL_UNUSABLE` as the worker says, `WORKER_CRASHED` if it dies before
 */
export async function connectWorker(options: ConnectOptions): Promise<WorkerConnection> {
  const { cacheDir, modelDir, threads, onProgress, onCrash } = options
  const entry = findWorkerEntry()
  const gate = createNativeGate()
  const worker = new Worker(entry.url, {
    workerData: { cacheDir, modelDir, threads, gate } satisfies WorkerSettings,
    name: 'daybook-embedding',
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MB },
    ...(entry.execArgv && { execArgv: entry.execArgv }),
  })
  const waiting = new Map<number, Waiting>()
  let lastId = 0
  let isReady = false
  let closing = false
  let whenReady: { resolve(facts: ModelFacts): void; reject(error: EmbedderError): void }
  const ready = new Promise<ModelFacts>((resolve, reject) => {
    whenReady = { resolve, reject }
  })
  // process.exit() stops the thread wherever it is. A batch of long texts takes seconds on a busy machine.
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
    else request.resolve((reply.type === 'chunked' ? reply.spans : reply.vectors) as never)
  }

  function rejectAll(error: EmbedderError): void {
    for (const { reject } of waiting.values()) reject(error)
    waiting.clear()
  }

  function send(request: WorkerRequest): void {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin, only a window has
    worker.postMessage(request)
  }

  function call<T>(request: (id: number) => WorkerRequest): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = ++lastId
      waiting.set(id, { resolve, reject })
      send(request(id))
    })
  }

  /** Ends a thread that does not listen, or, if it is stuck in native code, lets the process end without it. */
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
    async embed(texts, priority) {
      const all = await call<Float32Array>((id) => ({ type: 'embed', id, texts, priority }))
      // Copies: views of one buffer would keep all vectors of a request in memory as long as one of them is.
      return texts.map((_, i) => all.slice(i * dimension, (i + 1) * dimension))
    },
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
