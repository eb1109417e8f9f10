import { Worker } from 'node:worker_threads'
import type { Matrix } from '../layout/matrix.ts'

/**
 * The most memory of the thread, in MB, beside the vectors. The layout of 20,000 takes what it may have, up to 1,200, and
 * with less it only clears up more often (docs/measurements.md#a-map-of-memories).
 */
const HEAP_MB = 600

/** How to follow and end the work. */
interface LayOutOptions {
  /** Ends the thread at once. */
  readonly signal: AbortSignal
  /** How far it is, from 0 to 1. */
  onProgress(done: number): void
}

/**
 * `layOut` in a thread of its own, so that the process goes on answering: 20,000 vectors take half a minute.
 * @param vectors their memory goes to the thread: it cannot be used afterwards
 * @returns x and y of each
 * @throws the signal's reason; an Error if the thread dies
 */
export function layOutInThread(
  vectors: Matrix,
  { signal, onProgress }: LayOutOptions,
): Promise<Float32Array> {
  signal.throwIfAborted()
  const isSource = import.meta.url.endsWith('.ts')
  // In a bundle, import.meta.url is the bundle's.
  const entry = new URL(isSource ? './worker-from-source.mjs' : './map-worker.js', import.meta.url)
  const worker = new Worker(entry, {
    workerData: vectors,
    transferList: [vectors.values.buffer as ArrayBuffer],
    name: 'daybook-map',
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    // Those of the process (--import tsx, vitest's loaders) are useless in the thread.
    ...(isSource && { execArgv: [] }),
  })
  return new Promise<Float32Array>((resolve, reject) => {
    const abort = () => {
      reject(signal.reason as Error)
      void worker.terminate()
    }
    signal.addEventListener('abort', abort, { once: true })
    worker.on('message', (reply: WorkerReply) => {
      if (reply.type === 'progress') onProgress(reply.done)
      else resolve(reply.places)
    })
    worker.once('error', reject)
    worker.once('exit', () => {
      signal.removeEventListener('abort', abort)
      reject(new Error('The thread that lays out the map ended without an answer'))
    })
  })
}

/** What the thread says: how far it is, from 0 to 1, and at its end x and y of each vector. */
export type WorkerReply =
  | { readonly type: 'progress'; readonly done: number }
  | { readonly type: 'placed'; readonly places: Float32Array }
