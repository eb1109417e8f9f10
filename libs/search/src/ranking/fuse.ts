import type { RetrieverContribution } from './explanation.ts'
import type { RankingOptions } from './options.ts'
import {
  normaliseLexical,
  normaliseVector,
  type RetrieverHit,
  type RetrieverName,
  retrieverCandidates,
} from './retriever.ts'

/** What each retriever found; null if it did not run. An empty list means that it ran and found nothing. */
export interface Retrievers {
  readonly lexical: readonly RetrieverHit[] | null
  readonly vector: readonly RetrieverHit[] | null
}

/** A candidate: a memory that at least one retriever found. */
export interface Fused {
  readonly memoryId: string
  /** S, 0 to 1: the sum of the retrievers' contributions */
  readonly score: number
  /** the retrievers that found it, lexical first */
  readonly retrievers: readonly RetrieverContribution[]
}

/**
 * Fuses both retrievers into one score S per candidate: the sum of weight × normalised score over the
 * retrievers, 0 for one that did not find it.
 *
 * - `DEFAULT`: linear, `S = .6·l + .4·v`.
 * - `RRF`: `Σ 1/(k + rank)`, scaled so that a hit at rank 1 in every retriever scores 1: normalised `(k +
 *   1)/(k + rank)`, equal weights. Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms
 *   Condorcet and individual Rank Learning Methods" (SIGIR 2009), whose k is 60.
 *
 * If one retriever did not run (keyword mode, semantic mode, no embedder), the other gets its weight, S = l
 * or S = v, so that scores stay within 0 to 1. A retriever that ran and found nothing keeps its weight,
 * because finding nothing is information too.
 *
 * @throws RangeError if both weights are 0 or one is negative
 */
export function fuse(retrievers: Retrievers, options: RankingOptions): Map<string, Fused> {
  const weights = retrieverWeights(retrievers, options)
  const contributions = new Map<string, RetrieverContribution[]>()
  for (const retriever of ['lexical', 'vector'] as const) {
    const hits = retrieverCandidates(retrievers[retriever] ?? [], options.candidatesPerRetriever)
    const normalised = normalise(retriever, hits, options)
    for (const [index, { memoryId, score }] of hits.entries()) {
      const normalisedScore = normalised[index] ?? 0
      const weight = weights[retriever]
      const share = {
        retriever,
        rank: index + 1,
        rawScore: score,
        normalisedScore,
        weight,
        contribution: weight * normalisedScore,
      }
      const others = contributions.get(memoryId)
      if (others === undefined) contributions.set(memoryId, [share])
      else others.push(share)
    }
  }
  const fused = new Map<string, Fused>()
  for (const [memoryId, shares] of contributions) {
    const score = Math.min(
      1,
      shares.reduce((sum, { contribution }) => sum + contribution, 0),
    )
    fused.set(memoryId, { memoryId, score, retrievers: shares })
  }
  return fused
}

/** The weights of the retrievers that ran, which add up to 1; 0 for one that did not run. */
function retrieverWeights(retrievers: Retrievers, options: RankingOptions): Record<RetrieverName, number> {
  if (retrievers.lexical === null || retrievers.vector === null) {
    return { lexical: retrievers.lexical === null ? 0 : 1, vector: retrievers.vector === null ? 0 : 1 }
  }
  if (options.method === 'RRF') return { lexical: 0.5, vector: 0.5 }
  const { lexicalWeight, vectorWeight } = options
  const total = lexicalWeight + vectorWeight
  if (!(lexicalWeight >= 0 && vectorWeight >= 0 && total > 0)) {
    throw new RangeError(
      `Retriever weights must be at least 0, and not both 0: ${lexicalWeight}, ${vectorWeight}`,
    )
  }
  return { lexical: lexicalWeight / total, vector: vectorWeight / total }
}

/** The hits' scores normalised to 0 to 1 by the method, in the order of the hits. */
function normalise(
  retriever: RetrieverName,
  hits: readonly RetrieverHit[],
  { method, rrfK }: RankingOptions,
): number[] {
  if (method === 'RRF') return hits.map((_, index) => (rrfK + 1) / (rrfK + index + 1))
  return retriever === 'lexical' ? normaliseLexical(hits) : normaliseVector(hits)
}
