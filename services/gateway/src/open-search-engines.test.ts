import { fixedEmbedders, wrapEmbedders } from '@daybook/embeddings/embedders'
import { createHashEmbedder } from '@daybook/embeddings/hash-embedder'
import { createMetrics } from '@daybook/runtime/metrics'
import { describe, expect, it } from 'vitest'
import type { Context } from './context.ts'
import { embedEarly } from './open-search-engines.ts'

function contextOf(modelId: string | null) {
  const asked: string[] = []
  const models = [createHashEmbedder({ dimension: 8 }), createHashEmbedder({ dimension: 16 })]
  const embedders = wrapEmbedders(fixedEmbedders(models), (embedder) => ({
    ...embedder,
    async embedQuery(text, options) {
      asked.push(`${embedder.modelId} ${text}`)
      return embedder.embedQuery(text, options)
    },
  }))
  const context = {
    parts: { embedders, metrics: createMetrics({ service: 'test' }), liveModel: { modelId } },
    project: { projectId: 'p' },
  } as unknown as Context
  return { asked, context }
}

const settled = () => new Promise((resolve) => setImmediate(resolve))

describe('a query that is embedded early', () => {
  it('is embedded once, before the generation is known', async () => {
    const { asked, context } = contextOf('test-hash/8')
    const question = embedEarly(context, 'lantern -boat', 'HYBRID')
    await settled()
    expect(asked).toEqual(['test-hash/8 lantern'])
    expect(await question.queryVector({ modelId: 'test-hash/8' })).toHaveProperty('vector')
    expect(asked).toHaveLength(1)
  })

  it('is embedded again where a generation of another model was swapped in', async () => {
    const { asked, context } = contextOf('test-hash/8')
    const found = await embedEarly(context, 'lantern', 'HYBRID').queryVector({ modelId: 'test-hash/16' })
    expect(found).toMatchObject({ vector: { length: 16 } })
    expect(asked.toSorted()).toEqual(['test-hash/16 lantern', 'test-hash/8 lantern'])
  })

  it('waits for the generation if none was read before, and is not embedded for words alone', async () => {
    const first = contextOf(null)
    embedEarly(first.context, 'lantern', 'HYBRID')
    const byWords = contextOf('test-hash/8')
    embedEarly(byWords.context, 'lantern', 'KEYWORD')
    await settled()
    expect([...first.asked, ...byWords.asked]).toEqual([])
  })

  it('is refused if it is empty', () => {
    expect(() => embedEarly(contextOf('test-hash/8').context, ' ', 'HYBRID')).toThrow(/query/u)
  })
})
