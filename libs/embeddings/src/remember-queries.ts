import { LRUCache } from 'lru-cache'
import type { Embedder } from './embedder.ts'

/** Vectors kept: with 384 numbers each 1.5 MB in all. */
const KEPT = 1_000

/**
 * The embedder, remembering the vectors of the queries asked last. Agents ask the same again: to see the next page, or whether
 * something has come in by now; an embedding is most of what a search in a small project costs. One that is just being
 * made is waited for and not made twice. Bulk texts go through: the embedding store remembers those.
 *
 * In this process' memory only, and each project's for itself: an answer that comes at once would tell one what another asked.
 */
export function rememberQueries(embedder: Embedder): Embedder {
  const known = new LRUCache<string, Promise<Float32Array[]>>({ max: KEPT })
  return {
    modelId: embedder.modelId,
    dimension: embedder.dimension,
    maxTokens: embedder.maxTokens,
    chunk: (texts) => embedder.chunk(texts),
    close: () => embedder.close(),
    async embed(texts, options) {
      const [text] = texts
      const projectId = options?.projectId
      if (options?.priority !== 'query' || projectId === undefined || text === undefined || texts.length > 1)
        return embedder.embed(texts, options)
      // No project's id has a space.
      const key = `${projectId} ${text}`
      const found = known.get(key) ?? embedder.embed(texts, options)
      known.set(key, found)
      try {
        return await found
      } catch (error) {
        // What failed once may work the next time.
        if (known.peek(key) === found) known.delete(key)
        throw error
      }
    },
  }
}
