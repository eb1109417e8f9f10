import { UnavailableError, ValidationError } from '@daybook/memory/errors'
import type { VectorDocument } from './vector-store.ts'

/** What a search returns unless more are asked for. */
export const DEFAULT_TOP_K = 5
const MAX_TOP_K = 1_000
/** An index of pgvector (HNSW) takes at most this many numbers. */
const MAX_DIMENSION = 2_000

/** @throws ValidationError */
export function checkDimension(dimension: number): void {
  if (!Number.isInteger(dimension) || dimension < 1 || dimension > MAX_DIMENSION)
    throw new ValidationError('dimension', `must be a whole number from 1 to ${MAX_DIMENSION}`)
}

/** @throws ValidationError */
export function checkTopK(topK: number): void {
  if (!Number.isInteger(topK) || topK < 1 || topK > MAX_TOP_K)
    throw new ValidationError('topK', `must be a whole number from 1 to ${MAX_TOP_K}`)
}

/** @throws ValidationError if it is no direction in the store's space */
export function checkVector(field: string, vector: ArrayLike<number>, dimension: number): void {
  if (vector.length !== dimension)
    throw new ValidationError(field, `has ${vector.length} numbers, the store's vectors have ${dimension}`)
  const length = Math.hypot(...Array.from(vector))
  if (!Number.isFinite(length) || length === 0)
    throw new ValidationError(field, 'must hold finite numbers, not all of them 0')
}

/** The documents by id, the last one of each. @throws ValidationError */
export function checkDocuments(
  documents: readonly VectorDocument[],
  dimension: number,
): Map<string, VectorDocument> {
  for (const [i, { id, content, embedding }] of documents.entries()) {
    if (id === '' || id.includes('\u0000'))
      throw new ValidationError(`documents.${i}.id`, 'must have a character, and no NUL')
    if (content.includes('\u0000')) throw new ValidationError(`documents.${i}.content`, 'must not have a NUL')
    checkVector(`documents.${i}.embedding`, embedding, dimension)
  }
  return new Map(documents.map((document) => [document.id, document]))
}

/** Remembers whether the store is closed. */
export function createOpenness(): { check(): void; close(): boolean } {
  let isOpen = true
  return {
    /** @throws UnavailableError */
    check() {
      if (!isOpen) throw new UnavailableError('The vector store was closed')
    },
    /** Whether it was open. */
    close() {
      const was = isOpen
      isOpen = false
      return was
    },
  }
}
