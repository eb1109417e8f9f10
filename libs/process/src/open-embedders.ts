import type { Embedder } from '@daybook/embeddings/embedder'
import { type Embedders, type EmbeddingModel, fixedEmbedders } from '@daybook/embeddings/embedders'
import { createUsageMeter } from '@daybook/embeddings/http/http-embedder'
import { DEFAULT_MODEL, findModel, type KnownModel, unknownModel } from '@daybook/embeddings/models'
import { createQueueWorkers, type QueueWorkers } from '@daybook/embeddings/queue-workers'
import { plainModelId, withoutTokenBits } from '@daybook/embeddings/token-bits/token-bits'
import { DaybookError } from '@daybook/memory/errors'
import type { Database } from '@daybook/postgres/connect'
import type { Config } from '@daybook/runtime/config'
import { type Activity } from '@daybook/runtime/loop'
import type { Metrics } from '@daybook/runtime/metrics'
import type { ProcessParts } from './run-process.ts'

/**
 * The embedders of this process. The one of `DAYBOOK_EMBEDDER` starts loading at once, while other parts
 * open; await `ready` before using it. Others load when a generation uses their vectors. With `none` there
 * are none.
 */
interface OpenedEmbedders extends Embedders {
  /**
   * Waits for the preferred model. From then on `preferred` has the id of what was loaded, which its folder may decide.
   * @throws EmbedderError if it cannot be loaded
   */
  ready(): Promise<void>
}

/** Starts loading the preferred embedder. @throws DaybookError CONFIGURATION for an unknown model */
export function openEmbedders(config: Config, { progress, shutdown }: ProcessParts): OpenedEmbedders {
  if (config.embedder === 'none')
    return { ...fixedEmbedders([], DEFAULT_MODEL), ready: () => Promise.resolve() }
  const preferred = findModel(config.embedder)
  if (preferred === null)
    throw new DaybookError('CONFIGURATION', `DAYBOOK_EMBEDDER: ${unknownModel(config.embedder)}`)

  const usage = createUsageMeter()
  const loading = new Map<string, Promise<Embedder>>()
  const load = (model: KnownModel): Promise<Embedder> => {
    const known = loading.get(model.name)
    if (known !== undefined) return known
    const opened = model.open({
      cacheDir: config.modelCacheDir,
      modelDir: config.modelDir,
      providers: config.providers,
      onUsage: usage.add,
      onProgress: progress,
    })
    loading.set(model.name, opened)
    // Callers that await it see the failure. Before that, it must not end the process silently.
    opened.catch(() => loading.delete(model.name))
    return opened
  }
  shutdown.add(
    async () => {
      for (const opened of loading.values()) await (await opened.catch(() => null))?.close()
    },
    { part: 'the embedders' },
  )

  const plain = new Map<Embedder, Embedder>()
  const plainOf = (embedder: Embedder): Embedder => {
    const known = plain.get(embedder) ?? withoutTokenBits(embedder)
    plain.set(embedder, known)
    return known
  }

  const first = load(preferred)
  let model: EmbeddingModel = { modelId: preferred.modelId, dimension: preferred.dimension }
  return {
    get preferred() {
      return model
    },
    async of(modelId) {
      const named = findModel(modelId) ?? preferred
      const embedder = await load(named)
      if (embedder.modelId === modelId || named.name === modelId) return embedder
      // Weights from a folder or the hub are a model of their own, whose vectors must not be taken for the package's.
      return plainModelId(embedder.modelId) === modelId ? plainOf(embedder) : null
    },
    countIn: usage.countIn,
    async ready() {
      const { modelId, dimension } = await first
      model = { modelId, dimension }
    },
  }
}

/** This process's workers for the queue of texts. They end with the last projection that wants vectors. */
export function openQueueWorkers(
  {
    db,
    embedders,
    metrics,
    activity,
  }: { db: Database; embedders: Embedders; metrics: Metrics; activity?: Activity },
  { logger }: Pick<ProcessParts, 'logger'>,
): QueueWorkers {
  const embedded = metrics.counter({
    name: 'daybook_embedded_texts_total',
    help: 'Texts that got their vectors from this process',
  })
  const onEmbedded = (texts: number) => embedded.add(texts)
  return createQueueWorkers({ db, embedders, logger, onEmbedded, activity })
}
