import type { OpenModelOptions } from '@daybook/embeddings/models'
import { readConfig } from '@daybook/runtime/config'
import { afterAll, beforeEach, expect, it, vi } from 'vitest'
import { openEmbedders } from './open-embedders.ts'
import type { ProcessParts } from './run-process.ts'

/*
 * Records which folders a model is opened with. Nothing is loaded.
 */

// Other files of this worker have loaded these modules already, and get them again unchanged.
vi.hoisted(() => vi.resetModules())
afterAll(() => {
  vi.doUnmock('@daybook/embeddings/models')
  vi.resetModules()
})

const opened = vi.hoisted((): OpenModelOptions[] => [])
/** The ids of what is loaded, by folder. */
const MODELS = vi.hoisted(
  (): Record<string, string> => ({
    '': 'package/fp32',
    '/with-bits': 'other/fp32/token-bits-1',
  }),
)
vi.mock('@daybook/embeddings/models', () => ({
  unknownModel: () => 'is unknown',
  findModel: (name: string) =>
    name === 'minilm' || name === 'package/fp32'
      ? {
          name: 'minilm',
          modelId: 'package/fp32',
          dimension: 3,
          open: (options: OpenModelOptions) => {
            opened.push(options)
            const modelId = MODELS[options.modelDir ?? ''] ?? 'folder@1234/fp32'
            const vector = Float32Array.of(1, 0, 0)
            return Promise.resolve({
              modelId,
              dimension: 3,
              embed: () => Promise.resolve([{ vector, tokenBits: Uint8Array.of(1) }]),
              embedQuery: () => Promise.resolve({ vector, tokens: { words: ['one'], states: vector } }),
              close: () => Promise.resolve(),
            })
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

it('a generation of before token bits is searched with the same embedder, without them', async () => {
  const embedders = openEmbedders(readConfig({ DAYBOOK_MODEL_DIR: '/with-bits' }), parts)
  await embedders.ready()
  const plain = await embedders.of('other/fp32')
  expect(plain?.modelId).toBe('other/fp32')
  expect(await plain?.embedQuery('one')).toEqual({ vector: Float32Array.of(1, 0, 0), tokens: null })
  expect(await plain?.embed(['one'])).toEqual([{ vector: Float32Array.of(1, 0, 0), tokenBits: null }])
  expect(await embedders.of('other/fp32'), 'the same one, so that queries are remembered').toBe(plain)
  expect((await embedders.of('other/fp32/token-bits-1'))?.modelId).toBe('other/fp32/token-bits-1')
  expect(await embedders.of('another/fp32')).toBeNull()
  expect(opened).toHaveLength(1)
})
