/** The two retrievers of a search. */
export type RetrieverName = 'lexical' | 'vector'

/** One hit of a retriever. A retriever returns a list of these, best first. */
export interface RetrieverHit {
  readonly memoryId: string
  /**
   * lexical: L, BM25 with or without coverage (> 0); vector: the cosine similarity (−1 to 1, not the
   * distance)
   */
  readonly score: number
}

/** What a retriever read of a memory beside its score. */
export interface FoundMemory extends RetrieverHit {
  /** The hash of its text in hexadecimal, if the retriever has seen it. */
  readonly contentHash?: string
}

/** The hashes of the texts that retrievers have seen, by memory. */
export const hashesOf = (hits: readonly FoundMemory[]): ReadonlyMap<string, string> =>
  new Map(
    hits.flatMap(({ memoryId, contentHash }) =>
      contentHash === undefined ? [] : [[memoryId, contentHash] as const],
    ),
  )

/**
 * A retriever's candidates: its best hits, best first. Sorts them itself, equal scores by id, so that a rank
 * never depends on the order in which a database returns equals. Keeps the best of several hits on one
 * memory, and leaves out scores that are not a number (the cosine of a zero vector is NaN).
 *
 * @param candidates how many to keep (`candidatesPerRetriever`)
 */
export function retrieverCandidates(hits: readonly RetrieverHit[], candidates: number): RetrieverHit[] {
  const seen = new Set<string>()
  return hits
    .filter(({ score }) => Number.isFinite(score))
    .toSorted((a, b) => b.score - a.score || (a.memoryId < b.memoryId ? -1 : 1))
    .filter(({ memoryId }) => !seen.has(memoryId) && seen.add(memoryId))
    .slice(0, candidates)
}

/**
 * Lexical scores normalised to 0 to 1: `l = L / max L`. Divides by the maximum instead of stretching from
 * minimum to maximum, which would turn a lone hit, and the last of a few good hits, into 0.
 *
 * @param hits of one retriever, best first
 * @returns l of each hit, in the order of the hits; 0 for all if none scores above 0
 */
export function normaliseLexical(hits: readonly RetrieverHit[]): number[] {
  const best = hits[0]?.score ?? 0
  return hits.map(({ score }) => (best > 0 ? Math.max(0, score / best) : 0))
}

/**
 * Cosines normalised to 0 to 1: `v = (cos − cos_last) / (cos_first − cos_last)`, or 1 without a spread (one
 * hit, or all equal). Stretches from minimum to maximum because a model's cosines have no zero: any two texts
 * are somewhat similar, and the last candidate (the 100th) stands for "not similar".
 *
 * @param hits of one retriever, best first
 * @returns v of each hit, in the order of the hits
 */
export function normaliseVector(hits: readonly RetrieverHit[]): number[] {
  const first = hits[0]?.score ?? 0
  const last = hits.at(-1)?.score ?? 0
  return hits.map(({ score }) => (first > last ? (score - last) / (first - last) : 1))
}
