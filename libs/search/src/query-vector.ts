import type { QueryEmbedding } from '@daybook/embeddings/embedder'
import type { Embedders } from '@daybook/embeddings/embedders'
import type { Generation } from '@daybook/projection/generations/generations'
import { reasonOf } from '@daybook/runtime/reason-of'

/** What the model says of the query, or the reason why it says nothing, in words. */
export type QueryVector = QueryEmbedding | { readonly missing: string }

/**
 * Embeds a query with priority over background work. Never throws: without a vector, a search finds memories
 * by words.
 */
export async function queryVector(
  embedders: Embedders,
  { modelId }: Pick<Generation, 'modelId'>,
  { projectId, text }: { readonly projectId: string; readonly text: string },
): Promise<QueryVector> {
  try {
    const embedder = await embedders.of(modelId)
    if (embedder === null)
      return {
        missing: `no embedder is configured for the index's model ${modelId} (DAYBOOK_EMBEDDER), so memories are found by their words only`,
      }
    return await embedder.embedQuery(text, { projectId })
  } catch (error) {
    return {
      missing: `the embedder does not answer (${reasonOf(error)}), so memories are found by their words only`,
    }
  }
}
