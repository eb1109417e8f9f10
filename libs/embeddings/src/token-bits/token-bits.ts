import { createRotation } from './rotation.ts'

/*
 * Late interaction: what the model says of each token of a memory is kept, one bit a number, and compared with
 * what it says of each token of a question (Khattab and Zaharia, "ColBERT", SIGIR 2020).
 *
 *   state ──minus the mean──▶ centred ──rotation──▶ turned ──signs──▶ bits of a memory's token
 *                                                      └──length 1──▶ floats of a question's token
 */

/**
 * Ends the id of a model whose texts have token bits. Raise the number when the mean, the rotation or the
 * packing changes: bits of different versions must not be compared.
 */
const SUFFIX = '/token-bits-1'

/** The id of the model that gives the same vectors, and token bits with them. */
export const withTokenBits = (modelId: string): string => modelId + SUFFIX

/** The id of the model that gives the same vectors without token bits. */
export const plainModelId = (modelId: string): string =>
  hasTokenBits(modelId) ? modelId.slice(0, -SUFFIX.length) : modelId

/** Whether texts of this model have token bits. */
export const hasTokenBits = (modelId: string): boolean => modelId.endsWith(SUFFIX)

/** Bytes of one token's bits. @param dimension a multiple of 8 */
export const bytesPerToken = (dimension: number): number => dimension / 8

/** Turns token states into bits, or into what bits are compared with. */
export interface TokenCoder {
  /**
   * The bits of a text's tokens, one token after another. Bit i of a token, 1 where its number i is at least
   * 0, is bit `i & 7` (the lowest first) of byte `i >> 3`.
   *
   * @param states of a batch, row-major
   * @param first index of the first token in `states`
   * @param tokens how many
   */
  bits(states: Float32Array, first: number, tokens: number): Uint8Array
  /** A question's states, centred, turned and of length 1, one after another. */
  turned(states: Float32Array, first: number, tokens: number): Float32Array
}

/**
 * Makes the coder of a model.
 *
 * @param mean the mean of the model's token states, of the model's dimension. Without centring, all states
 *   point in about the same direction, and most bits say nothing
 */
export function createTokenCoder(mean: Float32Array): TokenCoder {
  const dimension = mean.length
  const rotate = createRotation(dimension)
  const turn = (states: Float32Array, first: number, tokens: number): Float32Array => {
    const turned = states.slice(first * dimension, (first + tokens) * dimension)
    for (let token = 0; token < tokens; token += 1) {
      const start = token * dimension
      for (let i = 0; i < dimension; i += 1) turned[start + i] = turned[start + i]! - mean[i]!
      rotate(turned, start)
    }
    return turned
  }
  return {
    bits(states, first, tokens) {
      const turned = turn(states, first, tokens)
      const bits = new Uint8Array(tokens * bytesPerToken(dimension))
      for (let byte = 0; byte < bits.length; byte += 1) bits[byte] = signsAt(turned, 8 * byte)
      return bits
    },
    turned(states, first, tokens) {
      const turned = turn(states, first, tokens)
      for (let start = 0; start < turned.length; start += dimension) normalise(turned, start, dimension)
      return turned
    },
  }
}

/** Eight signs as a byte. Without branches, which would be guessed wrong half of the time: signs are random. */
const signsAt = (turned: Float32Array, i: number): number =>
  +(turned[i]! >= 0) |
  (+(turned[i + 1]! >= 0) << 1) |
  (+(turned[i + 2]! >= 0) << 2) |
  (+(turned[i + 3]! >= 0) << 3) |
  (+(turned[i + 4]! >= 0) << 4) |
  (+(turned[i + 5]! >= 0) << 5) |
  (+(turned[i + 6]! >= 0) << 6) |
  (+(turned[i + 7]! >= 0) << 7)

function normalise(vectors: Float32Array, start: number, dimension: number): void {
  let squares = 0
  for (let i = start; i < start + dimension; i += 1) squares += vectors[i]! * vectors[i]!
  const scale = squares > 0 ? 1 / Math.sqrt(squares) : 0
  for (let i = start; i < start + dimension; i += 1) vectors[i]! *= scale
}
