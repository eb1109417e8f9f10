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
  /** 1 or −1 for each number. */
  readonly signs: Float32Array
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
  const scale = 1 / Math.sqrt(block)
  const rounds = createRounds(dimension)
  const buffer = new Float32Array(dimension)
  return (vectors, start) => {
    const vector = vectors.subarray(start, start + dimension)
    for (const { signs, order } of rounds) {
      for (let i = 0; i < dimension; i += 1) vector[i] = vector[i]! * signs[i]! * scale
      for (let from = 0; from < dimension; from += block) transform(vector, from, block)
      for (let i = 0; i < dimension; i += 1) buffer[order[i]!] = vector[i]!
      vector.set(buffer)
    }
  }
}

/** The Hadamard transform of one block, in place and without scaling. */
function transform(vector: Float32Array, from: number, size: number): void {
  for (let half = 1; half < size; half *= 2)
    for (let start = from; start < from + size; start += 2 * half)
      for (let i = start; i < start + half; i += 1) {
        const one = vector[i]!
        const other = vector[i + half]!
        vector[i] = one + other
        vector[i + half] = one - other
      }
}

function createRounds(dimension: number): Round[] {
  const random = createRandom(SEED)
  return Array.from({ length: ROUNDS }, () => {
    const signs = Float32Array.from({ length: dimension }, () => (random() & 1 ? 1 : -1))
    const order = Uint16Array.from({ length: dimension }, (_, index) => index)
    for (let last = dimension - 1; last > 0; last -= 1) {
      const other = random() % (last + 1)
      const moved = order[last]!
      order[last] = order[other]!
      order[other] = moved
    }
    return { signs, order }
  })
}
