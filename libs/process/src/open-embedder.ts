import { join } from 'node:path'
import type { Embedder } from '@daybook/embeddings/embedder'
import { startMiniLm } from '@daybook/embeddings/minilm-embedder'
import type { Config } from '@daybook/runtime/config'
import type { ProcessParts } from './process-parts.ts'

/** The embedder of `DAYBOOK_EMBEDDER`; null for `none`. It loads while other parts are opened: await it when it is needed. */
export function openEmbedder(config: Config, { progress, stops }: ProcessParts): Promise<Embedder | null> {
  if (config.embedder === 'none') return Promise.resolve(null)
  const loading = startMiniLm({
    cacheDir: join(config.dataDir, 'models'),
    modelDir: config.modelDir,
    onProgress: progress,
  })
  // Whoever awaits it hears of its failure; one that comes earlier must not end the process without a word.
  loading.catch(() => {})
  stops.add(async () => (await loading.catch(() => null))?.close())
  return loading
}
