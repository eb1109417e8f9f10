import type { Embedding } from '../embedder.ts'

/** The embeddings of a request, in buffers that cross threads without being copied. */
export interface PackedEmbeddings {
  /** All vectors, one after another. */
  readonly vectors: Float32Array<ArrayBuffer>
  /** The token bits of all texts, one after another; null if the model gives none. */
  readonly bits: Uint8Array<ArrayBuffer> | null
  /** Where the token bits of each text end. */
  readonly bitEnds: readonly number[]
}

/** Packs embeddings of the same model. */
export function packEmbeddings(embeddings: readonly Embedding[]): PackedEmbeddings {
  const dimension = embeddings[0]?.vector.length ?? 0
  const vectors = new Float32Array(embeddings.length * dimension)
  for (const [i, { vector }] of embeddings.entries()) vectors.set(vector, i * dimension)
  const bitEnds: number[] = []
  let end = 0
  for (const { tokenBits } of embeddings) bitEnds.push((end += tokenBits?.length ?? 0))
  if (embeddings.every(({ tokenBits }) => tokenBits === null)) return { vectors, bits: null, bitEnds: [] }
  const bits = new Uint8Array(end)
  for (const [i, { tokenBits }] of embeddings.entries())
    if (tokenBits !== null) bits.set(tokenBits, bitEnds[i]! - tokenBits.length)
  return { vectors, bits, bitEnds }
}

/**
 * The embeddings, each in arrays of its own: views of one buffer would keep all vectors of a request in memory
 * as long as one is used.
 */
export function unpackEmbeddings(
  { vectors, bits, bitEnds }: PackedEmbeddings,
  dimension: number,
): Embedding[] {
  return Array.from({ length: vectors.length / dimension }, (_, i) => ({
    vector: vectors.slice(i * dimension, (i + 1) * dimension),
    tokenBits: bits?.slice(bitEnds[i - 1] ?? 0, bitEnds[i]) ?? null,
  }))
}
