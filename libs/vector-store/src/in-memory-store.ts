import {
  checkDimension,
  checkDocuments,
  checkTopK,
  checkVector,
  cosine,
  createOpenness,
  DEFAULT_TOP_K,
  type VectorDocument,
  type VectorStore,
} from './vector-store.ts'

/** The order of ids in both stores: that of their UTF-8, which Postgres calls the collation "C". */
const byId = (left: string, right: string): number => Buffer.compare(Buffer.from(left), Buffer.from(right))

/**
 * A vector store in this process's memory, for development and tests. It compares every vector, so its answers are
 * exact; it forgets all when the process ends.
 * @throws ValidationError
 */
export function createInMemoryVectorStore({ dimension }: { readonly dimension: number }): VectorStore {
  checkDimension(dimension)
  const openness = createOpenness()
  const documents = new Map<string, VectorDocument>()
  return {
    dimension,
    async upsert(given) {
      openness.check()
      // Copies: what the caller does with its own afterwards changes nothing here.
      for (const [id, { content, embedding, metadata = {} }] of checkDocuments(given, dimension))
        documents.set(id, {
          id,
          content,
          embedding: Float32Array.from(embedding),
          metadata: structuredClone(metadata),
        })
    },
    async search(embedding, topK = DEFAULT_TOP_K) {
      openness.check()
      checkVector('embedding', embedding, dimension)
      checkTopK(topK)
      return [...documents.values()]
        .map((document) => ({ document, score: cosine(embedding, document.embedding) }))
        .toSorted((left, right) => right.score - left.score || byId(left.document.id, right.document.id))
        .slice(0, topK)
        .map(({ document: { id, content, metadata = {} }, score }) => ({
          id,
          content,
          metadata: structuredClone(metadata),
          score,
        }))
    },
    async delete(ids) {
      openness.check()
      for (const id of ids) documents.delete(id)
    },
    async close() {
      if (openness.close()) documents.clear()
    },
  }
}
