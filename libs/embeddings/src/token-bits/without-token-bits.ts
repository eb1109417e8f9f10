import type { Embedder } from '../embedder.ts'
import { plainModelId } from './token-bits.ts'

/**
 * The same embedder for generations that an older version has built: it gives the same vectors under the id of
 * then, and no token bits. Closing it closes the embedder.
 */
export const withoutTokenBits = (embedder: Embedder): Embedder => ({
  ...embedder,
  modelId: plainModelId(embedder.modelId),
  embed: async (texts) => (await embedder.embed(texts)).map(({ vector }) => ({ vector, tokenBits: null })),
  embedQuery: async (text, options) => ({
    vector: (await embedder.embedQuery(text, options)).vector,
    tokens: null,
  }),
})
