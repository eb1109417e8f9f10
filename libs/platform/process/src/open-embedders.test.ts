import type { OpenModelOptions } from '@daybook/embeddings/models'
import { readConfig } from '@daybook/runtime/config'
import { beforeEach, expect, it, vi } from 'vitest'
import { openEmbedders } from './open-embedders.ts'
import type { ProcessParts } from './process-parts.ts'

/*
 * Records which folders a model is opened with. Nothing is loaded.
 */

const opened = vi.hoisted((): OpenModelOptions[] => [])
vi.mock('@daybook/embeddings/models', () => ({
  findModel: (name: string) => ({
    name,
    modelId: name,
    dimension: 3,
    open: (options: OpenModelOptions) => {
      opened.push(options)
      return Promise.resolve({ close: () => Promise.resolve() })
    },
  }),
}))
beforeEach(() => void opened.splice(0))

const parts = { progress: () => undefined, shutdown: { add: () => undefined } } as unknown as ProcessParts

it('DAYBOOK_MODEL_CACHE is where models are kept, and not the data folder', async () => {
  const config = readConfig({ DAYBOOK_MODEL_CACHE: '/caches/models', DAYBOOK_DATA_DIR: '/data' })
  await openEmbedders(config, parts).ready()
  expect(opened).toMatchObject([{ cacheDir: '/caches/models', modelDir: undefined }])
})

it('a folder with the model goes along with it', async () => {
  const config = readConfig({ DAYBOOK_MODEL_CACHE: '/caches/models', DAYBOOK_MODEL_DIR: '/models' })
  await openEmbedders(config, parts).ready()
  expect(opened).toMatchObject([{ cacheDir: '/caches/models', modelDir: '/models' }])
})
