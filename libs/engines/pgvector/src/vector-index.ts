import { DEFAULT_MODEL, Q8_MODEL } from '@daybook/embeddings/default-model'
import type { EmbeddingModel } from '@daybook/embeddings/embedders'
import { plainModelId } from '@daybook/embeddings/token-bits/token-bits'
import { type RawBuilder, sql } from 'kysely'

/** How the vectors of one model are indexed (HNSW), and asked for in the order that the index gives. */
export interface VectorIndex {
  /**
   * How it is made: what follows `using` when it is created on the column `embedding`. `m` is how many links each
   * vector has to others, in the lowest layer twice as many.
   * @param cosine the cosine operators of the column's type
   */
  method(cosine: RawBuilder<unknown>): RawBuilder<unknown>
  /** The distance by which the index orders. @param query a vector, as pgvector writes it */
  distance(embedding: RawBuilder<unknown>, query: RawBuilder<unknown>): RawBuilder<unknown>
  /** How many to take from the index, so that nearly all of the nearest `wanted` are among them. */
  taken(wanted: number): number
}

/** The vectors themselves, as pgvector has it by default: what the index gives first is nearest. */
const BY_COSINE: VectorIndex = {
  method: (cosine) => sql`hnsw (embedding ${cosine}) with (m = 16)`,
  distance: (embedding, query) => sql`${embedding} <=> ${query}`,
  taken: (wanted) => wanted,
}

/**
 * Of the ten that are nearest by cosine, .995 are among so many by signs (an index of the vectors finds .993), of the
 * nearest hundred .9 (.98). Whole searches among 25,000 memories find .803 of what they should (.805). With 300 it is
 * .804, and a search among 100,000 random directions takes 5 ms more.
 */
const TAKEN_BY_SIGNS = 200

/**
 * One bit a number, whether it is above 0, compared by how many bits differ. The index takes 301 bytes a vector
 * of 384 numbers instead of 1,171, and PGlite builds it in a seventh of the time. More are taken from it, and put
 * in order by cosine (docs/measurements.md#an-index-of-signs).
 *
 * Source: Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002.
 */
const bySigns = (dimension: number): VectorIndex => {
  const bits = sql`bit(${sql.lit(dimension)})`
  return {
    method: () => sql`hnsw ((binary_quantize(embedding)::${bits}) bit_hamming_ops) with (m = 12)`,
    distance: (embedding, query) =>
      sql`binary_quantize(${embedding})::${bits} <~> binary_quantize(${query}::vector)::${bits}`,
    taken: (wanted) => Math.max(2 * wanted, TAKEN_BY_SIGNS),
  }
}

/**
 * The models whose nearest vectors are found by signs. Measured, model by model: numbers that lie beside 0 for every
 * text, as some models have, tell nothing by their signs. Whoever changes this list raises `LAYOUT_VERSION`: an index
 * that was built before serves no query any more.
 */
const SIGNS_SUFFICE = new Set([DEFAULT_MODEL, Q8_MODEL].map(({ modelId }) => plainModelId(modelId)))

/** How the vectors of a model are indexed. */
export const vectorIndex = ({ modelId, dimension }: EmbeddingModel): VectorIndex =>
  SIGNS_SUFFICE.has(plainModelId(modelId)) ? bySigns(dimension) : BY_COSINE
