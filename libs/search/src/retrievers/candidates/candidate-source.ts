/** What an engine knows of one word of the question. */
export interface WordCandidates {
  /** Live memories of the project that have the word, whatever the filter. */
  readonly documentFrequency: number
  /** Whether some memory of the project has it that might be asked for, within the filter or not. */
  readonly isKnown: boolean
  /** Memories that have it, within as much of the filter as the engine was told. */
  readonly memoryIds: readonly string[]
  /** Whether more memories have it than are given. */
  readonly isCutOff: boolean
}

/** A part of a memory's text that is near the question. */
export interface NearChunk {
  readonly memoryId: string
  /** The version whose text it is a part of. */
  readonly version: number
  /** Of the two vectors. */
  readonly cosine: number
  /** UTF-16 offsets in the embedded text, the end exclusive. */
  readonly spanStart: number
  readonly spanEnd: number
}

/**
 * Where an engine beside Postgres finds candidates for one search. It need not be right: what it gives is checked and scored in
 * Postgres, so that filters, phrases, exclusions and scores mean the same on every engine.
 */
export interface CandidateSource {
  /**
   * @param lexemes as Postgres stems the question's words
   * @param limit memories wanted for each, at most
   * @returns in the order asked
   * @throws EngineFailed
   */
  words(lexemes: readonly string[], limit: number): Promise<WordCandidates[]>
  /**
   * The nearest chunks of live memories, best first.
   * @returns and whether there are more within the filter
   * @throws EngineFailed
   */
  nearest(query: Float32Array): Promise<{ readonly chunks: readonly NearChunk[]; readonly isCutOff: boolean }>
}
