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
