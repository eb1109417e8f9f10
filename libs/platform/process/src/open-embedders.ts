import { DEFAULT_MODEL } from '@daybook/embeddings/default-model'
import type { Embedder } from '@daybook/embeddings/embedder'
import { type Embedders, fixedEmbedders } from '@daybook/embeddings/embedders'
import { findModel } from '@daybook/embeddings/models'
import { DaybookError } from '@daybook/memory/errors'
import type { Config } from '@daybook/runtime/config'
import type { ProcessParts } from './process-parts.ts'

/**
 * The embedders of this process. The one of `DAYBOOK_EMBEDDER` starts loading at once, while other parts
 * open; await `ready` before using it. Others load when a generation uses their vectors. With `none` there
 * are none.
 */
export interface OpenedEmbedders extends Embedders {
  /** @throws EmbedderError if the preferred one cannot be loaded */
  ready(): Promise<void>
}

/** Starts loading the preferred embedder. @throws DaybookError CONFIGURATION for an unknown model */
export function openEmbedders(config: Config, { progress, shutdown }: ProcessParts): OpenedEmbedders {
  if (config.embedder === 'none')
    return { ...fixedEmbedders([], DEFAULT_MODEL), ready: () => Promise.resolve() }
  const preferred = findModel(config.embedder)
  if (preferred === null)
    throw new DaybookError('CONFIGURATION', `DAYBOOK_EMBEDDER: there is no model ${config.embedder}`)

  const loading = new Map<string, Promise<Embedder>>()
  const open = (modelId: string): Promise<Embedder | null> => {
    const model = findModel(modelId)
    if (model === null) return Promise.resolve(null)
    const known = loading.get(model.modelId)
    if (known !== undefined) return known
    const opened = model.open({
      cacheDir: config.modelCacheDir,
      modelDir: config.modelDir,
      onProgress: progress,
    })
    loading.set(model.modelId, opened)
    // Callers that await it see the failure. Before that, it must not end the process silently.
    opened.catch(() => loading.delete(model.modelId))
    return opened
  }
  shutdown.add(
    async () => {
      for (const opened of loading.values()) await (await opened.catch(() => null))?.close()
    },
    { part: 'the embedders' },
  )

  const first = open(preferred.modelId)
  return {
    preferred: { modelId: preferred.modelId, dimension: preferred.dimension },
    of: open,
    ready: async () => void (await first),
  }
}
