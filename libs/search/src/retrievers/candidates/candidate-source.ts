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

/** A chunk of a memory's text that is near the question. */
export interface NearChunk {
  readonly memoryId: string
  /** The version whose text it belongs to. */
  readonly version: number
  /** The cosine of the two vectors. */
  readonly cosine: number
  /** UTF-16 offsets in the embedded text, the end exclusive. */
  readonly spanStart: number
  readonly spanEnd: number
}

/**
 * Where an engine beside Postgres finds candidates for one search. They need not be right: Postgres checks
 * and scores them, so that filters, phrases, exclusions and scores mean the same on every engine.
 */
export interface CandidateSource {
  /**
   * Looks up the memories of each word.
   * @param lexemes the question's words as Postgres stems them
   * @param limit the most memories wanted for each
   * @returns one entry for each lexeme, in the given order
   * @throws EngineFailed
   */
  words(lexemes: readonly string[], limit: number): Promise<WordCandidates[]>
  /**
   * Finds the nearest chunks of live memories, best first.
   * @returns the chunks, and whether there are more within the filter
   * @throws EngineFailed
   */
  nearest(query: Float32Array): Promise<{ readonly chunks: readonly NearChunk[]; readonly isCutOff: boolean }>
}
