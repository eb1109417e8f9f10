import { UnavailableError, ValidationError } from '@daybook/memory/errors'

/** A text with its vector, under an id of the caller. */
export interface VectorDocument {
  readonly id: string
  readonly content: string
  /** As many finite numbers as the store's dimension, not all 0. Its length does not matter. */
  readonly embedding: Float32Array | readonly number[]
  /** Any JSON object. Default empty. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

/** A document that a search found. */
export interface FoundDocument {
  readonly id: string
  readonly content: string
  readonly metadata: Readonly<Record<string, unknown>>
  /** The cosine similarity to the question's vector, from -1 to 1. */
  readonly score: number
}

/**
 * Documents found by their vectors. It is for programs that use Daybook's packages as a library; a daemon keeps the
 * vectors of memories in its projections.
 *
 * All methods reject with a DaybookError: VALIDATION for a wrong argument, UNAVAILABLE after `close`.
 *
 * @example
 * const store = await openVectorStore({ databaseUrl: process.env.DATABASE_URL, dimension: 384 })
 * await store.upsert([{ id: '1', content: 'the users table', embedding }])
 * const [nearest] = await store.search(questionVector, 5)
 * await store.close()
 */
export interface VectorStore {
  /** How many numbers a vector has. */
  readonly dimension: number
  /** Writes all documents or none. One with an id that is there replaces it; of two with one id the last counts. */
  upsert(documents: readonly VectorDocument[]): Promise<void>
  /**
   * The documents nearest to a vector, the nearest first; those of equal score in the order of their ids.
   * @param topK how many at most, 1 to 1,000; default 5
   */
  search(embedding: Float32Array | readonly number[], topK?: number): Promise<FoundDocument[]>
  /** Deletes documents; ids that are not there are passed over. */
  delete(ids: readonly string[]): Promise<void>
  /** Frees what the store opened. May be called twice. */
  close(): Promise<void>
}

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

/** The cosine similarity of two vectors of one dimension, neither of them 0. */
export function cosine(left: ArrayLike<number>, right: ArrayLike<number>): number {
  let product = 0
  let squares = 0
  let others = 0
  for (let i = 0; i < left.length; i += 1) {
    const value = left[i]!
    const other = right[i] ?? 0
    product += value * other
    squares += value * value
    others += other * other
  }
  return product / Math.sqrt(squares * others)
}
