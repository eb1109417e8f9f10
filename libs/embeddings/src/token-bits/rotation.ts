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
 * spread over many, so that one bit a number loses little (`pack-bits.ts`). Each round flips signs, applies a
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
