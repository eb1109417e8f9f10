/** The token states of a question: rotated, scaled to length 1, one after another. */
export interface QuestionStates {
  readonly tokens: number
  /** Numbers per state, a multiple of 8. */
  readonly dimension: number
  /** `tokens` × `dimension` numbers. */
  readonly states: Float32Array
}

/** Compares the question with memories. */
export interface Scorer {
  /**
   * Estimates, for each question token, its cosine with the memory token that is nearest to it.
   *
   * @param bits the memory's token bits: per token `dimension` / 8 bytes. Bit `i & 7` (from the least
   * significant) of byte `i >> 3` says whether number `i` of the token's state is 0 or more
   * @returns one number per question token; 0 for each if the memory has no tokens
   * @throws RangeError if the bytes are no whole number of tokens
   */
  match(bits: Uint8Array): Float32Array
}
