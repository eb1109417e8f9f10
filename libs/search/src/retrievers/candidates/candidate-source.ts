/**
 * The most candidates that an engine is asked for, of one word or one vector: two and a half times as many as a search
 * wants of each retriever. Several chunks may be of one memory, and Postgres may refuse some.
 */
export const CANDIDATES_MAX = 250

/** What an engine knows about one word of the question. */
export interface WordCandidates {
  /** The number of the project's live memories that contain the word, regardless of the filter. */
  readonly documentFrequency: number
  /** Whether any memory of the project that a search could ask for contains it, within the filter or not. */
  readonly isKnown: boolean
  /** Memories that contain it and pass the filter as far as the engine can express it. */
  readonly memoryIds: readonly string[]
  /** Whether more memories contain it than are listed. */
  readonly isCutOff: boolean
}

/** The memories that an engine finds near the question. */
export interface NearCandidates {
  /** In no order. */
  readonly memoryIds: readonly string[]
  /** Whether there may be more within the filter. */
  readonly isCutOff: boolean
}

/**
 * Where an engine beside Postgres finds candidates for one search. They need not be right: Postgres checks
 * and scores them, so that filters, phrases, exclusions and scores mean the same on every engine.
 */
export interface CandidateSource {
  /**
   * Looks up the memories of each word.
   * @param lexemes the question's words as Postgres stems them
   * @param limit the most memories wanted for each, at most `CANDIDATES_MAX`
   * @returns one entry for each lexeme, in the given order
   * @throws EngineFailed
   */
  words(lexemes: readonly string[], limit: number): Promise<WordCandidates[]>
  /**
   * Finds the live memories that have the nearest chunks.
   * @param query the question's vector, of the model of the engine's vectors
   * @throws EngineFailed
   */
  nearest(query: Float32Array): Promise<NearCandidates>
}
