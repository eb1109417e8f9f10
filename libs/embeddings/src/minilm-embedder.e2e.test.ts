import { Worker } from 'node:worker_threads'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { describeEmbedder } from './embedder.contract.ts'
import type { Embedder, EmbedderError } from './embedder.ts'
import { startMiniLm } from './minilm-embedder.ts'
import { DEFAULT_MODEL } from './models.ts'
import { testCacheDir } from './testing/test-cache.ts'
import { withoutTokenBits } from './token-bits/token-bits.ts'

const cacheDir = testCacheDir()
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)
const codeOf = (error: EmbedderError) => error.code

describeEmbedder('MiniLM', () => startMiniLm({ cacheDir }))

describe('MiniLM', () => {
  let embedder: Embedder
  beforeAll(async () => {
    embedder = await startMiniLm({ cacheDir })
  })
  afterAll(() => embedder.close())

  it('gives the values of sentence-transformers', async () => {
    const [embedding] = await embedder.embed(['This is an example sentence'])
    expect(embedder).toMatchObject({ ...DEFAULT_MODEL, maxTokens: 256 })
    // Three decimals, because the weights were once rounded to fp16.
    for (const [i, value] of [0.06765, 0.06355, 0.04873].entries())
      expect(embedding!.vector[i]).toBeCloseTo(value, 3)
  })

  it('understands meaning without shared words', async () => {
    const [query, near, far] = await embedder.embed([
      'my dog is ill',
      'The puppy needs a vet',
      'interest rates rose',
    ])
    expect(dot(query!.vector, near!.vector)).toBeGreaterThan(dot(query!.vector, far!.vector) + 0.3)
  })

  it('gives the same vectors without token bits, under the id of older generations', async () => {
    const plain = withoutTokenBits(embedder)
    expect(plain.modelId).toBe('all-MiniLM-L6-v2/fp32')
    const [embedding] = await plain.embed(['rain in the garden'])
    expect(embedding!.tokenBits).toBeNull()
    expect((await plain.embedQuery('rain')).tokens).toBeNull()
    expect(embedding!.vector).toEqual((await embedder.embed(['rain in the garden']))[0]!.vector)
  })

  it('names the whole word of each piece', async () => {
    const { tokens } = await embedder.embedQuery('Is the café’s kombucha OK?')
    expect(tokens!.words).toEqual([
      'is',
      'the',
      'cafe',
      '’',
      's',
      'kombucha',
      'kombucha',
      'kombucha',
      'kombucha',
      'ok',
      '?',
    ])
  })

  it('answers a query within a batch or two while bulk texts are computed', async () => {
    const answered: string[] = []
    const texts = Array.from({ length: 150 }, (_, i) => `note ${i} about gardens `.repeat(12))
    await Promise.all([
      embedder.embed(texts).then(() => answered.push('the texts')),
      embedder.embedQuery('where is it').then(() => answered.push('the query')),
    ])
    expect(answered).toEqual(['the query', 'the texts'])
  })

  it('rejects what is in flight when the worker dies, and starts another for the next call', async () => {
    const { postMessage } = Worker.prototype
    const posts = vi.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (
      this: Worker,
      request: unknown,
    ) {
      postMessage.call(this, request)
      // An invalid request makes the worker throw where nobody catches it.
      postMessage.call(this, null)
    })
    const texts = Array.from({ length: 100 }, (_, i) => `text ${i} `.repeat(40))
    expect(await embedder.embed(texts).catch(codeOf)).toBe('WORKER_CRASHED')
    posts.mockRestore()
    expect(await embedder.embed(['again'])).toHaveLength(1)
  })

  it('says which folder is not a model', async () => {
    const failure = await startMiniLm({ cacheDir, modelDir: '/nowhere/at/all' }).catch(
      (error: unknown) => error,
    )
    expect(failure).toMatchObject({ code: 'MODEL_NOT_FOUND' })
    expect((failure as Error).message).toContain('/nowhere/at/all has no config.json')
  })
})
