import { countTokens, PATTERNS, type QuantisedQuestion, quantise } from './quantise.ts'
import type { QuestionStates, Scorer } from './scorer.ts'
import { simdScorer } from './simd-scorer.ts'

/**
 * Makes a scorer for a question. A cosine is estimated from the signs of the memory's numbers: with q the
 * question's state, `sqrt(π / 2) / sqrt(dimension) · Σ_i (bit_i ? q_i : −q_i)`. The estimate is within .001
 * of this formula.
 *
 * It uses the CPU's vector instructions through WebAssembly where they are there, four times as fast as plain
 * JavaScript (docs/measurements.md#scoring-token-bits). Both give the same numbers.
 *
 * Sources: Charikar, "Similarity Estimation Techniques from Rounding Algorithms", STOC 2002, for cosines from
 * signs; here only one side is rounded. Jégou, Douze, Schmid, "Product Quantization for Nearest Neighbor
 * Search", 2011, for look-up tables made of the question.
 *
 * @throws RangeError if the states do not have the given size
 */
export function createScorer(states: QuestionStates): Scorer {
  const quantised = quantise(states)
  return simdScorer(quantised) ?? plainScorer(quantised)
}

const BYTE = 256

const SMALLEST = -0x8000

/**
 * The scorer in plain JavaScript. A table has an entry for each value of a byte. It serves two question tokens
 * at once: one in the upper 16 bits of the sum, one in the lower, whose sign takes 1 from the upper.
 */
export function plainScorer(quantised: QuantisedQuestion): Scorer {
  const { tokens, dimension, factors } = quantised
  const width = dimension / 8
  const tables = Array.from({ length: Math.ceil(tokens / 2) }, (_, pair) => pairTable(quantised, pair * 2))
  return {
    match(bits) {
      const row = new Float32Array(tokens)
      if (countTokens(quantised, bits) === 0) return row
      for (const [pair, table] of tables.entries()) {
        const best = bestSums(table, width, bits)
        row[pair * 2] = best.lower * factors[pair * 2]!
        // An odd last token has no other half; the write falls outside of the row.
        row[pair * 2 + 1] = best.upper * (factors[pair * 2 + 1] ?? 0)
      }
      return row
    },
  }
}

/** The tables of two question tokens: for each byte of a memory token 256 sums. */
function pairTable({ tokens, groups, entries }: QuantisedQuestion, first: number): Int32Array {
  const size = groups * PATTERNS
  const packed = new Int32Array(size)
  for (let at = 0; at < size; at += 1) {
    const upper = first + 1 < tokens ? entries[(first + 1) * size + at]! : 0
    packed[at] = (upper << 16) + entries[first * size + at]!
  }
  const table = new Int32Array((groups / 2) * BYTE)
  for (let group = 0, at = 0; group < size; group += 2 * PATTERNS)
    for (let high = 0; high < PATTERNS; high += 1)
      for (let low = 0; low < PATTERNS; low += 1, at += 1)
        table[at] = packed[group + low]! + packed[group + PATTERNS + high]!
  return table
}

/** The largest sums of both question tokens. There must be at least one memory token. */
function bestSums(table: Int32Array, width: number, bits: Uint8Array): { lower: number; upper: number } {
  let lower = SMALLEST
  let upper = SMALLEST
  for (let token = 0; token < bits.length; token += width) {
    let sum = 0
    for (let byte = 0; byte < width; byte += 1) sum = (sum + table[byte * BYTE + bits[token + byte]!]!) | 0
    const low = (sum << 16) >> 16
    const high = (sum - low) >> 16
    if (low > lower) lower = low
    if (high > upper) upper = high
  }
  return { lower, upper }
}
