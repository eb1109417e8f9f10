/** A retriever is one retriever inside a search. */
export type RetrieverName = 'lexical' | 'vector'

/** What a retriever found. A retriever's result is a list of these, best first. */
export interface RetrieverHit {
  readonly memoryId: string
  /** lexical: L, BM25 with or without coverage (> 0); vector: the cosine similarity (−1 to 1, not the distance) */
  readonly score: number
}

/**
 * A retriever's candidates: its best hits, best first. Orders them itself, equal scores by id, so that a rank never depends on the
 * order in which a database returned equals; keeps the best of hits on one memory; leaves out scores that are no number
 * (the cosine of a zero vector is NaN).
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
 * Lexical scores on 0 to 1: `l = L / max L`; 0 outside the retriever. Divided by the maximum rather than stretched between both ends
 * (min-max), which turns a lone hit into 0, and the last of a few good hits too.
 *
 * @param hits of one retriever, best first
 * @returns l of each hit, in the order of the hits; 0 for all if none scores above 0
 */
export function normaliseLexical(hits: readonly RetrieverHit[]): number[] {
  const best = hits[0]?.score ?? 0
  return hits.map(({ score }) => (best > 0 ? Math.max(0, score / best) : 0))
}

/**
 * Cosines on 0 to 1: `v = (cos − cos_last) / (cos_first − cos_last)`, 1 where there is no spread (one hit, or all equal); 0
 * outside the retriever. Stretched between both ends, as a model's cosines have no zero: everything is somewhat like everything, and
 * the worst of the retriever's candidates (the 100th) stands for "not alike".
 *
 * @param hits of one retriever, best first
 * @returns v of each hit, in the order of the hits
 */
export function normaliseVector(hits: readonly RetrieverHit[]): number[] {
  const first = hits[0]?.score ?? 0
  const last = hits.at(-1)?.score ?? 0
  return hits.map(({ score }) => (first > last ? (score - last) / (first - last) : 1))
}
