import type { Embedder } from '../embedder.ts'

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

/**
 * The same embedder for generations that an older version has built: it gives the same vectors under the id of
 * then, and no token bits. Closing it closes the embedder.
 */
export const withoutTokenBits = (embedder: Embedder): Embedder => ({
  ...embedder,
  modelId: plainModelId(embedder.modelId),
  embed: async (texts) => (await embedder.embed(texts)).map(({ vector }) => ({ vector, tokenBits: null })),
  embedQuery: async (text, options) => ({
    vector: (await embedder.embedQuery(text, options)).vector,
    tokens: null,
  }),
})

/** Rounds of sign flips, Hadamard transforms and a shuffle. With one round, numbers of one block stay together. */
const ROUNDS = 2

const SEED = 0x5eed_da7b

/** A random number generator (mulberry32), so that the rotation is the same everywhere and for ever. */
function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b_79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return (t ^ (t >>> 14)) >>> 0
  }
}

interface Round {
  /** 1 or −1 for each number, divided by what the transform makes a vector longer. */
  readonly factors: Float64Array
  /** Where each number goes. */
  readonly order: Uint16Array
}

/**
 * Makes a fixed pseudo-random rotation: vectors keep their lengths and angles, and what one number said is
 * spread over many, so that one bit a number loses little. Each round flips signs, applies a
 * Hadamard transform to blocks of the largest power of two that divides the dimension, and shuffles. This
 * takes n·log n additions instead of the n² of a full random matrix, and finds as much
 * (docs/measurements.md#token-bits).
 *
 * Source: Ailon and Chazelle, "The fast Johnson–Lindenstrauss transform" (2009).
 *
 * @param dimension how many numbers a vector has
 * @returns a function that rotates in place the vector that begins at `start`. It uses one buffer: not for
 *   calls that overlap
 */
export function createRotation(dimension: number): (vectors: Float32Array, start: number) => void {
  const block = dimension & -dimension
  const rounds = createRounds(dimension, 1 / Math.sqrt(block))
  // Of 64 bits: the steps of a transform would spend more on rounding to 32 than on adding.
  const buffer = new Float64Array(dimension)
  return (vectors, start) => {
    const vector = vectors.subarray(start, start + dimension)
    for (const { factors, order } of rounds) {
      for (let i = 0; i < dimension; i += 1) buffer[i] = vector[i]! * factors[i]!
      transform(buffer, block)
      for (let i = 0; i < dimension; i += 1) vector[order[i]!] = buffer[i]!
    }
  }
}

/**
 * The Hadamard transform of each block, in place and without scaling. Two steps at a time, so that each number
 * is read and written half as often (docs/measurements.md#token-bits).
 */
function transform(vector: Float64Array, block: number): void {
  let half = 1
  for (; half * 4 <= block; half *= 4)
    for (let start = 0; start < vector.length; start += 4 * half)
      for (let i = start; i < start + half; i += 1) {
        const a = vector[i]!
        const b = vector[i + half]!
        const c = vector[i + 2 * half]!
        const d = vector[i + 3 * half]!
        vector[i] = a + b + (c + d)
        vector[i + half] = a - b + (c - d)
        vector[i + 2 * half] = a + b - (c + d)
        vector[i + 3 * half] = a - b - (c - d)
      }
  // One step is left if the block is an odd power of two.
  if (half < block)
    for (let start = 0; start < vector.length; start += 2 * half)
      for (let i = start; i < start + half; i += 1) {
        const a = vector[i]!
        const b = vector[i + half]!
        vector[i] = a + b
        vector[i + half] = a - b
      }
}

function createRounds(dimension: number, scale: number): Round[] {
  const random = createRandom(SEED)
  return Array.from({ length: ROUNDS }, () => {
    const factors = Float64Array.from({ length: dimension }, () => (random() & 1 ? scale : -scale))
    const order = Uint16Array.from({ length: dimension }, (_, index) => index)
    for (let last = dimension - 1; last > 0; last -= 1) {
      const other = random() % (last + 1)
      const moved = order[last]!
      order[last] = order[other]!
      order[other] = moved
    }
    return { factors, order }
  })
}
