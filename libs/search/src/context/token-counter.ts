import { countTokens } from '@daybook/embeddings/count-tokens'
import type { Embedder } from '@daybook/embeddings/embedder'
import type { SearchParts } from '../search-parts.ts'

/** Counts the tokens of texts one after the other. */
export interface TokenCounter {
  count(text: string): Promise<number>
  /** The model whose tokenizer counted all of them; null if one was estimated. */
  countedBy(): string | null
}

/** A counter with the tokenizer of the index's model. It estimates where this process does not have it. */
export async function createTokenCounter({ embedders, readModel }: SearchParts): Promise<TokenCounter> {
  let embedder: Embedder | null = null
  try {
    embedder = await embedders.of(readModel.generation.modelId)
  } catch {
    // The search has said that the embedder does not answer.
  }
  const counters = new Set<string | null>()
  return {
    async count(text) {
      const { counts, modelId } = await countTokens(embedder, [text])
      counters.add(modelId)
      return counts[0] ?? 0
    },
    countedBy: () => (counters.has(null) ? null : ([...counters][0] ?? null)),
  }
}
