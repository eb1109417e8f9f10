/**
 * Judgements for the measures of one ranked answer: each relevant memory's relevance, 1 or more, by its id.
 * Memories without one are not relevant. All measures take the found ids, best first. They are from 0 to 1,
 * and 0 if nothing is relevant.
 */
export type Judgements = ReadonlyMap<string, number>

/**
 * The share of the relevant memories that are among the first k; on LoCoMo, "evidence recall". Grades do not
 * count.
 */
export function recallAt(k: number, found: readonly string[], relevant: Judgements): number {
  if (relevant.size === 0) return 0
  return new Set(found.slice(0, k).filter((id) => relevant.has(id))).size / relevant.size
}

/**
 * Normalised discounted cumulative gain of the first k: `Σ grade / log2(rank + 1)`, divided by that of the
 * best possible order. The gain is the grade itself, as in trec_eval (`ndcg_cut`) and BEIR, not 2^grade − 1.
 *
 * Source: Järvelin and Kekäläinen, "Cumulated gain-based evaluation of IR techniques" (2002).
 */
export function ndcgAt(k: number, found: readonly string[], relevant: Judgements): number {
  const discounted = (grades: readonly number[]) =>
    grades.slice(0, k).reduce((sum, grade, index) => sum + grade / Math.log2(index + 2), 0)
  const best = discounted([...relevant.values()].toSorted((a, b) => b - a))
  return best === 0 ? 0 : discounted(found.map((id) => relevant.get(id) ?? 0)) / best
}

/** 1 / the rank of the first relevant memory; 0 if none was found. Its mean over questions is MRR. */
export function reciprocalRank(found: readonly string[], relevant: Judgements): number {
  const index = found.findIndex((id) => relevant.has(id))
  return index === -1 ? 0 : 1 / (index + 1)
}

/** The arithmetic mean; 0 if there are no values. */
export function mean(values: readonly number[]): number {
  return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length
}
