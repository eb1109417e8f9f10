import type { Embedder } from '@daybook/embeddings/embedder'
import type { Generation } from '@daybook/projection/generations'

/** The query's vector, or in words why there is none. */
export type QueryVector = { readonly vector: Float32Array } | { readonly missing: string }

/** Embeds a query ahead of everything that is embedded in the background. Never throws: a search goes on by words. */
export async function queryVector(
  embedder: Embedder | null,
  generation: Generation,
  text: string,
): Promise<QueryVector> {
  if (embedder === null)
    return {
      missing: 'no embedder is configured (DAYBOOK_EMBEDDER=none), so memories are found by their words only',
    }
  if (embedder.modelId !== generation.modelId)
    return {
      missing: `the index holds vectors of ${generation.modelId}, the embedder makes those of ${embedder.modelId}, so memories are found by their words only until the index is rebuilt`,
    }
  try {
    const [vector] = await embedder.embed([text], { priority: 'query' })
    if (vector === undefined) throw new Error('no vector came back')
    return { vector }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    return { missing: `the embedder does not answer (${reason}), so memories are found by their words only` }
  }
}
