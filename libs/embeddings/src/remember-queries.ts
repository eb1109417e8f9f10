import { LRUCache } from 'lru-cache'
import type { Embedder } from './embedder.ts'

/** How many vectors are kept: with 384 numbers each, 1.5 MB in total. */
const KEPT = 1_000

/**
 * Wraps an embedder so that it remembers the vectors of the latest queries. Agents repeat queries to get the
 * next page or to check for new memories, and the embedding is most of the cost of a search in a small
 * project. A repeated query waits for one that is still being computed. Bulk texts pass through: the
 * embedding store remembers those.
 *
 * Kept only in this process's memory, and separately per project: a fast answer would tell one project what
 * another asked.
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
      // Project ids have no spaces.
      const key = `${projectId} ${text}`
      const found = known.get(key) ?? embedder.embed(texts, options)
      known.set(key, found)
      try {
        return await found
      } catch (error) {
        // A failed query may work the next time.
        if (known.peek(key) === found) known.delete(key)
        throw error
      }
    },
  }
}
