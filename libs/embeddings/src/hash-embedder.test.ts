import { describe, expect, it } from 'vitest'
import { describeEmbedder } from './embedder.contract.ts'
import { EmbedderError } from './embedder.ts'
import { createHashEmbedder } from './hash-embedder.ts'

describeEmbedder('hash embedder', async () => createHashEmbedder({ dimension: 64 }))
describeEmbedder('hash embedder with token bits', async () =>
  createHashEmbedder({ dimension: 64, tokenBits: true }),
)

describe('hash embedder', () => {
  it('is the same in every run', async () => {
    const embedder = createHashEmbedder({ dimension: 8 })
    const [embedding] = await embedder.embed(['Hello, hello world'])
    expect(embedder.modelId).toBe('test-hash/8')
    expect([...embedding!.vector].map((value) => value.toFixed(4))).toMatchInlineSnapshot(`
      [
        "0.0000",
        "0.0000",
        "0.0000",
        "1.0000",
        "0.0000",
        "0.0000",
        "0.0000",
        "0.0000",
      ]
    `)
  })

  it('fails and waits when told to', async () => {
    const failing = createHashEmbedder({
      beforeEmbed: async (texts) => {
        if (texts.includes('bad')) throw new EmbedderError('WORKER_CRASHED', 'on purpose')
      },
    })
    await expect(failing.embed(['bad'])).rejects.toMatchObject({ code: 'WORKER_CRASHED' })
    expect(await failing.embed(['good'])).toHaveLength(1)
  })
})
