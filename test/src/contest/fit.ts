import { ndcgAt, recallAt } from '../eval/metrics.ts'
import { rounded } from './measures.ts'
import type { Ranked } from './results.ts'

/** A question with its candidates and the values of all terms for each. */
export interface Case {
  readonly relevant: ReadonlyMap<string, number>
  readonly candidates: readonly { readonly id: string; readonly values: readonly number[] }[]
}

const STEPS = 300
const RATE = 0.05

/**
 * Fits a weight for each term, so that the softmax over a question's candidates gives the relevant ones as much as it can: the same
 * way as the shipped weights were fitted. Each collection counts alike, however many questions it has. Starts from nothing.
 */
export function fitWeights(collections: readonly (readonly Case[])[]): number[] {
  const usable = collections.map((cases) =>
    cases.filter(({ relevant, candidates }) => candidates.some(({ id }) => relevant.has(id))),
  )
  const terms = usable.flat()[0]?.candidates[0]?.values.length ?? 0
  const scales = scalesOf(usable.flat(), terms)
  const [weights, mean, square] = [zeros(terms), zeros(terms), zeros(terms)]
  // Adam (Kingma and Ba, 2015): the loss is convex, so any descent ends at the same weights.
  for (let step = 1; step <= STEPS; step += 1) {
    const gradient = zeros(terms)
    for (const cases of usable)
      for (const one of cases) addGradient(gradient, one, weights, scales, 1 / cases.length)
    for (let term = 0; term < terms; term += 1) {
      const slope = gradient[term] ?? 0
      mean[term] = 0.9 * (mean[term] ?? 0) + 0.1 * slope
      square[term] = 0.999 * (square[term] ?? 0) + 0.001 * slope * slope
      const [m, v] = [(mean[term] ?? 0) / (1 - 0.9 ** step), (square[term] ?? 0) / (1 - 0.999 ** step)]
      weights[term] = (weights[term] ?? 0) - (RATE * m) / (Math.sqrt(v) + 1e-8)
    }
  }
  return weights.map((weight, term) => weight / (scales[term] ?? 1))
}

function addGradient(
  gradient: number[],
  { relevant, candidates }: Case,
  weights: readonly number[],
  scales: readonly number[],
  share: number,
): void {
  const scores = candidates.map(({ values }) =>
    values.reduce((sum, value, term) => sum + ((weights[term] ?? 0) * value) / (scales[term] ?? 1), 0),
  )
  const highest = Math.max(...scores)
  const powers = scores.map((score) => Math.exp(score - highest))
  const whole = powers.reduce((sum, power) => sum + power, 0)
  const wanted = candidates.filter(({ id }) => relevant.has(id)).length
  for (const [index, { id, values }] of candidates.entries()) {
    const pull = (powers[index] ?? 0) / whole - (relevant.has(id) ? 1 / wanted : 0)
    for (const [term, value] of values.entries())
      gradient[term] = (gradient[term] ?? 0) + (share * pull * value) / (scales[term] ?? 1)
  }
}

/** How much each term varies among the candidates of a question; 1 where it does not. */
function scalesOf(cases: readonly Case[], terms: number): number[] {
  const [sums, count] = [zeros(terms), cases.reduce((sum, { candidates }) => sum + candidates.length, 0)]
  for (const { candidates } of cases)
    for (let term = 0; term < terms; term += 1) {
      const mean = candidates.reduce((sum, { values }) => sum + (values[term] ?? 0), 0) / candidates.length
      for (const { values } of candidates) sums[term] = (sums[term] ?? 0) + ((values[term] ?? 0) - mean) ** 2
    }
  return sums.map((sum) => Math.sqrt(sum / Math.max(1, count)) || 1)
}

const zeros = (length: number): number[] => Array.from({ length }, () => 0)

/** How well these weights order the candidates. */
export function rankedBy(weights: readonly number[], cases: readonly Case[]): Ranked {
  let [recall10, ndcg10] = [0, 0]
  for (const { relevant, candidates } of cases) {
    const order = candidates
      .map(({ id, values }) => ({
        id,
        score: values.reduce((sum, value, term) => sum + value * (weights[term] ?? 0), 0),
      }))
      .toSorted((a, b) => b.score - a.score || (a.id < b.id ? -1 : 1))
      .map(({ id }) => id)
    recall10 += recallAt(10, order, relevant)
    ndcg10 += ndcgAt(10, order, relevant)
  }
  return { recall10: rounded(recall10 / cases.length), ndcg10: rounded(ndcg10 / cases.length) }
}
