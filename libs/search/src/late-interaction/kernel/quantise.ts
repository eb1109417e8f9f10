import type { QuestionStates } from './scorer.ts'

/** Numbers of a state that one look-up covers. Four: a table of 16 entries stays in the CPU's first cache. */
export const GROUP = 4

/** The sums of a group: one for each pattern of its bits. */
export const PATTERNS = 1 << GROUP

const LARGEST = 32_767

/** A question as look-up tables of integers. Their sums over a memory token's groups fit into 16 bits. */
export interface QuantisedQuestion {
  readonly tokens: number
  readonly dimension: number
  /** `dimension` / 4 */
  readonly groups: number
  /** For question token t, group g and pattern p the entry at `(t · groups + g) · 16 + p`. */
  readonly entries: Int16Array
  /** Per question token: a sum of entries times this is the estimated cosine. */
  readonly factors: Float32Array
}

/**
 * Makes the tables. Each token has its own scale, the largest with which no sum can leave 16 bits. At 384
 * numbers, rounding moves an estimate by .0001 (standard deviation); the estimate itself is off by .04,
 * because the memory's numbers are only signs.
 *
 * @throws RangeError if the dimension is not a multiple of 8, or the states have another size
 */
export function quantise({ tokens, dimension, states }: QuestionStates): QuantisedQuestion {
  if (dimension <= 0 || dimension % 8 !== 0)
    throw new RangeError(`a state has a multiple of 8 numbers, not ${dimension}`)
  if (states.length !== tokens * dimension)
    throw new RangeError(`${tokens} states of ${dimension} numbers are not ${states.length} numbers`)
  const groups = dimension / GROUP
  const entries = new Int16Array(tokens * groups * PATTERNS)
  const factors = new Float32Array(tokens)
  for (let token = 0; token < tokens; token += 1) {
    const state = states.subarray(token * dimension, (token + 1) * dimension)
    const largestSum = state.reduce((sum, number) => sum + Math.abs(number), 0)
    // A state of zeros keeps its tables of zeros.
    if (!(largestSum > 0)) continue
    // Rounding adds at most one half per group.
    const scale = (LARGEST - groups / 2) / largestSum
    factors[token] = Math.sqrt(Math.PI / 2) / Math.sqrt(dimension) / scale
    fillTables(entries.subarray(token * groups * PATTERNS), state, scale)
  }
  return { tokens, dimension, groups, entries, factors }
}

function fillTables(entries: Int16Array, state: Float32Array, scale: number): void {
  for (let at = 0; at < state.length; at += GROUP) {
    const [a = 0, b = 0, c = 0, d = 0] = state.subarray(at, at + GROUP)
    for (let pattern = 0; pattern < PATTERNS; pattern += 1) {
      const low = (pattern & 1 ? a : -a) + (pattern & 2 ? b : -b)
      const high = (pattern & 4 ? c : -c) + (pattern & 8 ? d : -d)
      entries[(at / GROUP) * PATTERNS + pattern] = Math.round((low + high) * scale)
    }
  }
}

/**
 * The memory's tokens.
 * @throws RangeError if the bytes are no whole number of tokens
 */
export function countTokens({ dimension }: QuantisedQuestion, bits: Uint8Array): number {
  const tokens = bits.length / (dimension / 8)
  if (!Number.isInteger(tokens))
    throw new RangeError(`${bits.length} bytes are no whole number of tokens of ${dimension} bits`)
  return tokens
}
