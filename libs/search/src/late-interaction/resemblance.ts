/** The mean of a text's token bits, and its length as a vector. */
interface Mean {
  readonly numbers: Int8Array
  readonly norm: number
}

/** A byte's bits spread over the bytes of two words: lanes that count tokens side by side. */
const LOW = Uint32Array.from({ length: 256 }, (_, byte) => spread(byte))
const HIGH = Uint32Array.from({ length: 256 }, (_, byte) => spread(byte >> 4))

/** A lane holds 255. */
const LANE_MAX = 255

function spread(bits: number): number {
  return ((bits & 1) | ((bits & 2) << 7) | ((bits & 4) << 14) | ((bits & 8) << 21)) >>> 0
}

/** By the bits themselves, which stay the same objects as long as the cache has them (`token-bits-cache.ts`). */
const means = new WeakMap<Uint8Array, Mean>()

/**
 * How much two texts resemble each other: the cosine of the means of their token bits, −1 to 1. Bits are centred, so texts that
 * have nothing in common have about 0.1; turns of a conversation that follow each other about 0.5
 * (docs/measurements.md#what-neighbours-lend).
 *
 * @param bytes of one token's bits
 * @returns 0 if one of them has no tokens
 */
export function resemblance(one: Uint8Array, other: Uint8Array, bytes: number): number {
  const [a, b] = [meanOf(one, bytes), meanOf(other, bytes)]
  if (a.norm === 0 || b.norm === 0) return 0
  let sum = 0
  for (let at = 0; at < a.numbers.length; at += 1) sum += a.numbers[at]! * b.numbers[at]!
  return sum / (a.norm * b.norm)
}

/** Takes 3 µs for a text of 34 tokens. */
function meanOf(bits: Uint8Array, bytes: number): Mean {
  const known = means.get(bits)
  if (known !== undefined) return known
  const ones = new Int32Array(bytes * 8)
  const lanes = new Uint32Array(bytes * 2)
  const counts = new Uint8Array(lanes.buffer)
  for (let from = 0; from < bits.length; from += bytes * LANE_MAX) {
    const to = Math.min(bits.length, from + bytes * LANE_MAX)
    lanes.fill(0)
    for (let token = from; token < to; token += bytes)
      for (let byte = 0; byte < bytes; byte += 1) {
        const value = bits[token + byte]!
        lanes[byte * 2]! += LOW[value]!
        lanes[byte * 2 + 1]! += HIGH[value]!
      }
    for (let at = 0; at < counts.length; at += 1) ones[at]! += counts[at]!
  }
  const tokens = bits.length / bytes
  let largest = 0
  for (const count of ones) largest = Math.max(largest, Math.abs(2 * count - tokens))
  const numbers = Int8Array.from(ones, (count) => Math.round(((2 * count - tokens) * 127) / (largest || 1)))
  let square = 0
  for (const number of numbers) square += number * number
  const mean = { numbers, norm: Math.sqrt(square) }
  means.set(bits, mean)
  return mean
}
