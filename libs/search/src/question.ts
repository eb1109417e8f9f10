import { EmbedderError, type QueryEmbedding } from '@daybook/embeddings/embedder'
import type { Embedders } from '@daybook/embeddings/embedders'
import type { Generation } from '@daybook/projection/generations/generations'
import { reasonOf } from '@daybook/runtime/reason-of'
import { checkQuery } from './check-request.ts'
import type { ParsedQuery } from './query/query.ts'
import type { SearchParts } from './search-parts.ts'
import type { SearchRequest } from './search-request.ts'
import { timed } from './timed.ts'

/** What the model says of the query, or the reason why it says nothing, in words. */
export type QueryVector = QueryEmbedding | { readonly missing: string }

/** A query that is asked: of one project or several, of one generation or several. */
export interface Question {
  readonly query: ParsedQuery
  /**
   * What a generation's model says of the query's words, asked once for all generations with the same model; null in mode
   * KEYWORD, which needs no model. Never throws: without a vector, a search finds memories by words.
   */
  queryVector(generation: Pick<Generation, 'modelId'>): Promise<QueryVector> | null
}

/** Parses a query, and embeds it as soon as its vector is asked for. @throws ValidationError naming `query` */
export function askQuestion(
  { scope: { projectId }, embedders, onRetriever }: Pick<SearchParts, 'scope' | 'embedders' | 'onRetriever'>,
  { query: text, mode }: Pick<SearchRequest, 'query' | 'mode'>,
): Question {
  const query = checkQuery('query', text)
  const known = new Map<string, Promise<QueryVector>>()
  return {
    query,
    queryVector({ modelId }) {
      if (mode === 'KEYWORD') return null
      const vector =
        known.get(modelId) ??
        timed(onRetriever, 'query-embedding', () =>
          embedQuestion(embedders, modelId, projectId, query.wanted),
        )
      known.set(modelId, vector)
      return vector
    },
  }
}

/** Embeds a query with priority over background work. */
async function embedQuestion(
  embedders: Embedders,
  modelId: string,
  projectId: string,
  text: string,
): Promise<QueryVector> {
  try {
    const embedder = await embedders.of(modelId)
    if (embedder === null)
      return {
        missing: `no embedder is configured for the index's model ${modelId} (DAYBOOK_EMBEDDER), so memories are found by their words only`,
      }
    return await embedder.embedQuery(text, { projectId })
  } catch (error) {
    if (error instanceof EmbedderError && error.code === 'NO_KNOWN_WORD')
      return { missing: `${modelId} knows none of the words, so memories are found by their words only` }
    return {
      missing: `the embedder does not answer (${reasonOf(error)}), so memories are found by their words only`,
    }
  }
}
