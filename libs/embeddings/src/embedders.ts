import type { Embedder } from './embedder.ts'

/** What is known of a model without loading it. */
export interface EmbeddingModel {
  readonly modelId: string
  /** Numbers in a vector. */
  readonly dimension: number
}

/**
 * The embedders of a process, by the model whose vectors they make. A generation keeps the vectors of one model; while it is
 * rebuilt for another, both are at work.
 */
export interface Embedders {
  /** The model that new generations are made for unless somebody says otherwise. */
  readonly preferred: EmbeddingModel
  /**
   * The model's embedder, loaded on first use; null where this process has none for it.
   * @throws EmbedderError where it cannot be loaded; asked again, it is tried again
   */
  of(modelId: string): Promise<Embedder | null>
}

/** Embedders that are there already. With none, everything is found by words only. */
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

/** The same embedders, each through `wrap`, which is called once a model. */
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
