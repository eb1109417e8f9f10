import { LRUCache } from 'lru-cache'
import type { Embedder, QueryEmbedding } from './embedder.ts'
import { forwardCount } from './embedders.ts'

/** How many queries are kept: with a dozen tokens each, 20 KB a query, 5 MB in total. */
const KEPT = 250

/**
 * Wraps an embedder so that it remembers the latest queries. Agents repeat queries to get the
 * next page or to check for new memories, and the embedding is most of the cost of a search in a small
 * project. A repeated query waits for one that is still being computed. Texts of memories pass
 * through: the embedding store remembers those.
 *
 * Kept only in this process's memory, and separately per project: a fast answer would tell one project what
 * another asked.
 */
export function rememberQueries(embedder: Embedder): Embedder {
  const known = new LRUCache<string, Promise<QueryEmbedding>>({ max: KEPT })
  return {
    modelId: embedder.modelId,
    dimension: embedder.dimension,
    maxTokens: embedder.maxTokens,
    chunk: (texts) => embedder.chunk(texts),
    embed: (texts) => embedder.embed(texts),
    ...forwardCount(embedder),
    close: () => embedder.close(),
    async embedQuery(text, options) {
      const projectId = options?.projectId
      if (projectId === undefined) return embedder.embedQuery(text, options)
      // Project ids have no spaces.
      const key = `${projectId} ${text}`
      const found = known.get(key) ?? embedder.embedQuery(text, options)
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
