// The embedding worker: the only thread that loads the model. Started by worker-connection.ts, speaks
// worker-protocol.ts.
import { parentPort, workerData } from 'node:worker_threads'
import { asEmbedderError, type EmbedderError } from '../embedder.ts'
import { withTokenBits } from '../token-bits/token-bits.ts'
import { createChunker } from './chunk-text.ts'
import { type BatchLimits, loadModel, type Model } from './model.ts'
import { throughGate } from './native-gate.ts'
import { packEmbeddings } from './packed-embeddings.ts'
import { type PreparedModel, prepareMiniLm } from './prepare.ts'
import { createScheduler, type Scheduler } from './scheduler.ts'
import { toPlainError, type WorkerReply, type WorkerRequest, type WorkerSettings } from './worker-protocol.ts'

/**
 * A query may have to wait for one batch. Larger batches are hardly faster per token, so they would only make
 * it wait longer (docs/measurements.md#batch-size-of-the-embedding-model).
 */
const BATCH: BatchLimits = { maxPaddedTokens: 512, maxTexts: 32 }

/**
 * In q8 a run takes its range of numbers from all that it computes, so that a text would get other numbers among other
 * texts. Alone it gets the same each time, so that an index can be made again. Short texts pay for it: those of 14 tokens take
 * a fifth longer than in batches of fp32 (docs/measurements.md#models-in-q8).
 */
const ALONE: BatchLimits = { ...BATCH, maxTexts: 1 }

/** Tokens that neighbouring chunks share: about two sentences of context, one eighth of a chunk. */
const OVERLAP_TOKENS = 32

const settings = workerData as WorkerSettings
const port = parentPort!
const reply = (message: WorkerReply, transfer: ArrayBuffer[] = []) => port.postMessage(message, transfer)

async function answer(request: Exclude<WorkerRequest, { type: 'close' }>, scheduler: Scheduler) {
  const { id } = request
  try {
    if (request.type === 'chunk')
      return reply({ type: 'chunked', id, spans: await scheduler.chunk(request.texts) })
    if (request.type === 'count')
      return reply({ type: 'counted', id, counts: await scheduler.count(request.texts) })
    if (request.type === 'query')
      return reply({ type: 'query-embedded', id, embedding: await scheduler.embedQuery(request.text) })
    const packed = packEmbeddings(await scheduler.embed(request.texts))
    const buffers = [packed.vectors.buffer, ...(packed.bits === null ? [] : [packed.bits.buffer])]
    reply({ type: 'embedded', id, ...packed }, buffers)
  } catch (error) {
    reply({ type: 'failed', id, error: toPlainError(error as EmbedderError) })
  }
}

async function serve(model: Model, { modelId, precision }: PreparedModel): Promise<void> {
  const { dimension, maxTokens, tokenize, unknownToken } = model
  const chunk = createChunker(tokenize, { maxTokens, overlapTokens: OVERLAP_TOKENS })
  let lastBatch: Promise<unknown> = Promise.resolve()
  let closing = false
  function compute<Result>(run: () => Promise<Result>): Promise<Result> {
    // Callers were already rejected by the main thread. A promise that stays pending stops the scheduler.
    if (closing) return new Promise(() => {})
    const result = throughGate(settings.gate, run)
    lastBatch = result.catch(() => {})
    return result
  }
  const embedBatch: Model['embedBatch'] = (batch) => compute(() => model.embedBatch(batch))
  const embedQueries: Model['embedQueries'] = (batch) => compute(() => model.embedQueries(batch))
  async function close(): Promise<never> {
    closing = true
    await lastBatch
    await throughGate(settings.gate, model.dispose).catch(() => {})
    // In a worker this ends only the thread.
    process.exit(0)
  }

  const scheduler = createScheduler(
    { maxTokens, tokenize, unknownToken, chunk, embedBatch, embedQueries },
    precision === 'q8' ? ALONE : BATCH,
  )
  port.on('message', (request: WorkerRequest) => {
    if (request.type === 'close') void close()
    else void answer(request, scheduler)
  })
  reply({ type: 'ready', modelId: model.tokenBits ? withTokenBits(modelId) : modelId, dimension, maxTokens })
}

try {
  const onProgress = (message: string) => reply({ type: 'progress', message })
  const prepared = await prepareMiniLm({ ...settings, onProgress })
  const model = await throughGate(settings.gate, () => loadModel(prepared, settings))
  await serve(model, prepared)
} catch (error) {
  const failure = asEmbedderError(error, 'MODEL_UNUSABLE', 'The embedding model cannot be used')
  reply({ type: 'unusable', error: toPlainError(failure) })
}
