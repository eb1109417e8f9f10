import { availableParallelism } from 'node:os'
import type { Embedder } from './embedder.ts'
import { keepWorkerRunning } from './minilm/restarting-worker.ts'

export interface MiniLmOptions {
  /** Folder for the converted model (91 MB); created if missing, may be shared by processes. */
  readonly cacheDir: string
  /** A model folder to use in place of the installed one, see `PrepareOptions.modelDir`. Setting: `DAYBOOK_MODEL_DIR`. */
  readonly modelDir?: string | undefined
  /** Threads of the model. Default 2, or 1 on a single core: more take the cores that serve requests. */
  readonly threads?: number | undefined
  /** Told of steps that take a second or more, in a sentence for a log. */
  readonly onProgress?: ((message: string) => void) | undefined
}

/**
 * Starts all-MiniLM-L6-v2 (384 dimensions, 256 tokens, fp32) in a worker thread and resolves when it is loaded: 0.5 s
 * from a bundle, 0.9 s from source, and 1 s more for converting the weights on the first start. The process
 * then holds some 100 MB more. Nothing of it runs on the caller's event loop.
 *
 * A worker that dies rejects what was in flight with `WORKER_CRASHED`; the next call starts another.
 * The thread keeps the process alive until `close()`.
 *
 * @example
 * const embedder = await startMiniLm({ cacheDir: '.daybook/models' })
 * const [vector] = await embedder.embed(['This is an example sentence'])
 * await embedder.close()
 *
 * @throws EmbedderError `MODEL_NOT_FOUND`, `MODEL_UNUSABLE` or `WORKER_CRASHED` if the model cannot be started
 */
export async function startMiniLm(options: MiniLmOptions): Promise<Embedder> {
  const worker = keepWorkerRunning({
    cacheDir: options.cacheDir,
    modelDir: options.modelDir,
    threads: options.threads ?? Math.min(2, availableParallelism()),
    onProgress: options.onProgress,
  })
  const facts = await worker.with(async ({ modelId, dimension, maxTokens }) => ({
    modelId,
    dimension,
    maxTokens,
  }))
  return {
    ...facts,
    chunk: (texts) => worker.with((connection) => connection.chunk(texts)),
    embed: (texts, { priority = 'bulk' } = {}) =>
      worker.with((connection) => connection.embed(texts, priority)),
    close: () => worker.close(),
  }
}
