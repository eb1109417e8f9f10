import { availableParallelism } from 'node:os'
import type { Embedder } from './embedder.ts'
import type { Precision } from './minilm/bert-onnx.ts'
import { keepWorkerRunning } from './minilm/restarting-worker.ts'

/** The options of `startMiniLm`. */
export interface MiniLmOptions {
  /** Folder for the converted model (91 MB); created if missing. Processes may share it. */
  readonly cacheDir: string
  /**
   * A model folder to use instead of the installed model; see `PrepareOptions.modelDir`. Setting:
   * `DAYBOOK_MODEL_DIR`.
   */
  readonly modelDir?: string | undefined
  /**
   * fp32, or q8, which finds as much (docs/measurements.md#models-in-q8): questions and long texts take 60 % of
   * the time, many short texts a fifth more. A model of its own. Default fp32.
   */
  readonly precision?: Precision | undefined
  /** Threads of the model. Default 2, or 1 on a single core; more would take cores from requests. */
  readonly threads?: number | undefined
  /** Called before steps that take a second or more, with a sentence for a log. */
  readonly onProgress?: ((message: string) => void) | undefined
}

/**
 * Starts all-MiniLM-L6-v2 (384 dimensions, 256 tokens, fp32) in a worker thread, and resolves when it is
 * loaded. That takes under a second, and 1 s more on the first start, which converts the weights. The process
 * then uses some 100 MB more. Nothing runs on the caller's event loop.
 *
 * Texts get token bits (`token-bits/token-bits.ts`), except those of a model from a folder: nobody knows the mean
 * of its token states.
 *
 * If the worker dies, current calls are rejected with `WORKER_CRASHED`, and the next call starts a new one.
 * The thread keeps the process alive until `close()`.
 *
 * @example
 * const embedder = await startMiniLm({ cacheDir: '.daybook/models' })
 * const [{ vector }] = await embedder.embed(['This is an example sentence'])
 * await embedder.close()
 *
 * @throws EmbedderError `MODEL_NOT_FOUND`, `MODEL_UNUSABLE` or `WORKER_CRASHED` if the model cannot be
 * started
 */
export async function startMiniLm(options: MiniLmOptions): Promise<Embedder> {
  const worker = keepWorkerRunning({
    cacheDir: options.cacheDir,
    modelDir: options.modelDir,
    precision: options.precision ?? 'fp32',
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
    embed: (texts) => worker.with((connection) => connection.embed(texts)),
    countTokens: (texts) => worker.with((connection) => connection.count(texts)),
    embedQuery: (text) => worker.with((connection) => connection.embedQuery(text)),
    close: () => worker.close(),
  }
}
