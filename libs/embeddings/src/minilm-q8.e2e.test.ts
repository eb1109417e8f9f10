import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { describeEmbedder } from './embedder.contract.ts'
import type { Embedder } from './embedder.ts'
import { startMiniLm } from './minilm-embedder.ts'
import { findModel, Q8_MODEL } from './models.ts'
import { testCacheDir } from './testing/test-cache.ts'

const cacheDir = testCacheDir()
const startQ8 = () => startMiniLm({ cacheDir, precision: 'q8' })
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, i) => sum + value * b[i]!, 0)

const TEXTS = ['rain in the garden', 'We moved the invoice of March', 'ok', 'Who fixed it? '.repeat(40)]

describeEmbedder('MiniLM in q8', startQ8)

describe('MiniLM in q8', () => {
  let embedder: Embedder
  beforeAll(async () => {
    embedder = await startQ8()
  })
  afterAll(() => embedder.close())

  it('is a model of its own, found by its name and by its id', () => {
    expect(embedder).toMatchObject({ ...Q8_MODEL, maxTokens: 256 })
    expect(findModel('minilm-q8')).toMatchObject(Q8_MODEL)
    expect(findModel(Q8_MODEL.modelId)?.name).toBe('minilm-q8')
  })

  it('gives a text the same numbers among others as alone, to the last bit', async () => {
    const together = await embedder.embed(TEXTS)
    for (const [i, text] of TEXTS.entries()) expect(await embedder.embed([text])).toEqual([together[i]])
    expect((await embedder.embedQuery(TEXTS[0]!)).vector).toEqual(together[0]!.vector)
  })

  it('gives about the vectors of fp32', async () => {
    const exact = await startMiniLm({ cacheDir })
    const [rounded, vectors] = [await embedder.embed(TEXTS), await exact.embed(TEXTS)]
    await exact.close()
    // Of 200 turns of LoCoMo the furthest has a cosine of .985; the sentence forty times has .970.
    for (const [i, { vector }] of rounded.entries())
      expect(dot(vector, vectors[i]!.vector)).toBeGreaterThan(0.95)
  })
})
