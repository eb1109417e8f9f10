import { plainScorer } from './plain-scorer.ts'
import { quantise } from './quantise.ts'
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
export function createScorer(question: QuestionStates): Scorer {
  const quantised = quantise(question)
  return simdScorer(quantised) ?? plainScorer(quantised)
}
