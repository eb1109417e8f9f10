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
  findModel: (name: string) =>
    name === 'minilm' || name === 'package/fp32'
      ? {
          name: 'minilm',
          modelId: 'package/fp32',
          dimension: 3,
          open: (options: OpenModelOptions) => {
            opened.push(options)
            const modelId = options.modelDir === undefined ? 'package/fp32' : 'folder@1234/fp32'
            return Promise.resolve({ modelId, dimension: 3, close: () => Promise.resolve() })
          },
        }
      : null,
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

it('the model of a folder is known by its own id, and its vectors are not the package’s', async () => {
  const embedders = openEmbedders(readConfig({ DAYBOOK_MODEL_DIR: '/models' }), parts)
  await embedders.ready()
  expect(embedders.preferred).toEqual({ modelId: 'folder@1234/fp32', dimension: 3 })
  expect((await embedders.of('folder@1234/fp32'))?.modelId).toBe('folder@1234/fp32')
  expect((await embedders.of('minilm'))?.modelId).toBe('folder@1234/fp32')
  expect(await embedders.of('package/fp32')).toBeNull()
  expect(await embedders.of('of nobody')).toBeNull()
  expect(opened).toHaveLength(1)
})
