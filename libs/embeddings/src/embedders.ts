import type { Metrics } from '@daybook/runtime/metrics'
import type { Embedder } from './embedder.ts'

/** What is known about a model without loading it. */
export interface EmbeddingModel {
  readonly modelId: string
  /** How many numbers a vector has. */
  readonly dimension: number
}

/**
 * The embedders of a process, by model. A generation holds the vectors of one model. While it is rebuilt for
 * another model, both embedders are in use.
 */
export interface Embedders {
  /** The model for new generations, unless another one is asked for. */
  readonly preferred: EmbeddingModel
  /**
   * The model's embedder, loaded on first use; null if this process has none for it.
   * @throws EmbedderError if it cannot be loaded; the next call tries again
   */
  of(modelId: string): Promise<Embedder | null>
  /** Counts in these metrics what providers of vectors count. Absent: there are no providers. */
  countIn?(metrics: Metrics): void
}

/** Embedders that are already loaded. Without any, search works by words only. */
export function fixedEmbedders(
  embedders: readonly Embedder[],
  preferred: EmbeddingModel | undefined = embedders[0],
): Embedders {
  if (preferred === undefined) throw new Error('without an embedder the preferred model must be named')
  return {
    preferred: { modelId: preferred.modelId, dimension: preferred.dimension },
    of: (modelId) => Promise.resolve(embedders.find((one) => one.modelId === modelId) ?? null),
  }
}

/** The same embedders, each passed through `wrap`, which is called once per model. */
export function wrapEmbedders(embedders: Embedders, wrap: (embedder: Embedder) => Embedder): Embedders {
  const wrapped = new WeakMap<Embedder, Embedder>()
  return {
    preferred: embedders.preferred,
    async of(modelId) {
      const embedder = await embedders.of(modelId)
      if (embedder === null) return null
      const known = wrapped.get(embedder) ?? wrap(embedder)
      wrapped.set(embedder, known)
      return known
    },
  }
}
