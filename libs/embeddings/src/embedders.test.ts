import { expect, test } from 'vitest'
import { countTokens } from './embedders.ts'
import { createHashEmbedder } from './hash-embedder.ts'
import { rememberQueries } from './remember-queries.ts'

test('the tokenizer of the model counts, without special tokens, also behind a wrapper', async () => {
  const embedder = rememberQueries(createHashEmbedder())
  expect(await countTokens(embedder, ['', 'one two', 'three'])).toEqual({
    counts: [0, 2, 1],
    modelId: embedder.modelId,
  })
  await embedder.close()
})

test('a word without end counts by its bytes, which its reader has to read', async () => {
  const embedder = createHashEmbedder()
  expect((await countTokens(embedder, ['x'.repeat(8_000)])).counts).toEqual([1_000])
  await embedder.close()
})

test('without a tokenizer, or if it fails, the count is an estimate', async () => {
  const closed = createHashEmbedder()
  await closed.close()
  for (const embedder of [null, closed])
    expect(await countTokens(embedder, ['', 'four', '漢字'])).toEqual({ counts: [0, 2, 6], modelId: null })
})
