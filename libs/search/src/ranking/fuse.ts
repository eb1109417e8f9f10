import type { LegContribution } from './explanation.ts'
import { type LegHit, type LegName, legCandidates, normaliseLexical, normaliseVector } from './retriever.ts'
import type { RankingOptions } from './options.ts'

/** What each leg found, or null where a leg did not run. An empty list is a leg that ran and found nothing. */
export interface Legs {
  readonly lexical: readonly LegHit[] | null
  readonly vector: readonly LegHit[] | null
}

/** A candidate: a memory that at least one leg found. */
export interface Fused {
  readonly memoryId: string
  /** S, 0 to 1: the sum of the legs' contributions */
  readonly score: number
  /** the legs that found it, lexical first */
  readonly legs: readonly LegContribution[]
}

/**
 * Brings both legs into one score S per candidate: the sum over the legs of weight × normalised score, 0 for a leg that did
 * not find it.
 *
 * - `DEFAULT`: linear, `S = .6·l + .4·v`.
 * - `RRF`: `Σ 1/(k + rank)`, scaled so that the first of every leg has 1: normalised `(k + 1)/(k + rank)`, equal weights.
 *   Source: Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet and individual Rank Learning
 *   Methods" (SIGIR 2009), whose k is 60.
 *
 * When one leg did not run (keyword mode, semantic mode, no embedder) its weight goes to the other, S = l or S = v, so that
 * scores stay on 0 to 1. A leg that ran and found nothing keeps its weight: that no word matched is information.
 *
 * @throws RangeError where both weights are 0 or one is negative
 */
export function fuse(legs: Legs, options: RankingOptions): Map<string, Fused> {
  const weights = legWeights(legs, options)
  const contributions = new Map<string, LegContribution[]>()
  for (const leg of ['lexical', 'vector'] as const) {
    const hits = legCandidates(legs[leg] ?? [], options.candidatesPerLeg)
    const normalised = normalise(leg, hits, options)
    for (const [index, { memoryId, score }] of hits.entries()) {
      const normalisedScore = normalised[index] ?? 0
      const weight = weights[leg]
      const share = {
        leg,
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
    fused.set(memoryId, { memoryId, score, legs: shares })
  }
  return fused
}

/** The weights of the legs that ran, which add up to 1; 0 for one that did not. */
function legWeights(legs: Legs, options: RankingOptions): Record<LegName, number> {
  if (legs.lexical === null || legs.vector === null) {
    return { lexical: legs.lexical === null ? 0 : 1, vector: legs.vector === null ? 0 : 1 }
  }
  if (options.method === 'RRF') return { lexical: 0.5, vector: 0.5 }
  const { lexicalWeight, vectorWeight } = options
  const total = lexicalWeight + vectorWeight
  if (!(lexicalWeight >= 0 && vectorWeight >= 0 && total > 0)) {
    throw new RangeError(`Leg weights must be at least 0, and not both 0: ${lexicalWeight}, ${vectorWeight}`)
  }
  return { lexical: lexicalWeight / total, vector: vectorWeight / total }
}

/** Each hit's score on 0 to 1, by the method; in the order of the hits. */
function normalise(leg: LegName, hits: readonly LegHit[], { method, rrfK }: RankingOptions): number[] {
  if (method === 'RRF') return hits.map((_, index) => (rrfK + 1) / (rrfK + index + 1))
  return leg === 'lexical' ? normaliseLexical(hits) : normaliseVector(hits)
}
