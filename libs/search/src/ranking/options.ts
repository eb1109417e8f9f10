import type { RankingTerm } from './ablation.ts'

/** What is known of a memory before any question. */
export const PRIORS = ['decay', 'importance', 'recency'] as const

export type PriorName = (typeof PRIORS)[number]

/** How much each counts, 0 to 10; 0 for not at all. */
export type PriorWeights = Readonly<Record<PriorName, number>>

/** The default: only the question counts. */
export const NO_PRIORS: PriorWeights = { decay: 0, importance: 0, recency: 0 }

/** The largest weight: e^−10 of the odds remain of what was never used again. */
export const PRIOR_WEIGHT_MAX = 10

/** Whether any counts. */
export const priorsCount = (weights: PriorWeights): boolean => PRIORS.some((name) => weights[name] > 0)

/** What a prior added to the log-odds of a score: `contribution = weight · value`. */
export interface PriorContribution {
  /** succession: a memory supersedes another, or seems to (`succession.ts`). */
  readonly name: PriorName | 'succession'
  /** succession: the contribution itself; decay and recency: −1 (long ago) to 0 (now); importance: −1 (0 of 10) to 1 (10 of 10), 0 for the default. */
  readonly value: number
  readonly weight: number
  readonly contribution: number
}

/** How hits are ordered. The defaults were measured: `docs/measurements.md#ranking-on-locomo`. */
export interface RankingOptions {
  /**
   * `DEFAULT` compares tokens (`late/`); where there are none it fuses the retrievers' scores and raises hits by their neighbours
   * and session. `RRF` is plain
   * reciprocal rank fusion, for those who expect it. It finds less than BM25 alone: to fuse a strong with a
   * weak retriever takes scores, not ranks.
   */
  readonly method: RankingMethod
  /**
   * Whether `DEFAULT` compares tokens (`late/rank-late.ts`) where the searched generation has token bits and the
   * question has tokens. Default true. Without, and elsewhere, it is the weighted sum that the other options
   * describe.
   */
  readonly lateInteraction: boolean
  /**
   * The lexical retriever's weight, ≥ 0. Default .6. Only the ratio to `vectorWeight` counts, and not both
   * may be 0. Not used by RRF.
   */
  readonly lexicalWeight: number
  /** The vector retriever's weight, ≥ 0. Default .4. Not used by RRF. */
  readonly vectorWeight: number
  /** How many of each retriever's best hits take part. Default 100: twice as many gain only .002 recall. */
  readonly candidatesPerRetriever: number
  /**
   * λ, 0 to 1: the weight of a neighbour's score at distance 1; λ² at distance 2. 0 switches neighbours off.
   * Default .4: .5 is slightly better for dialogue, but loses more where the order means nothing.
   */
  readonly neighbourDecay: number
  /**
   * γ, 0 to 1: a neighbour that does not exist (the session ends, or there is none) counts as this share of
   * the hit's own score. Default .5. With 0, the ends of a session and memories without a session would be at
   * a disadvantage.
   */
  readonly missingNeighbourShare: number
  /**
   * σ, 0 to 1: the weight of the best hit of the same context, for every hit in it. Default .2. A memory
   * without a context is a session of its own, so the order among such memories does not change.
   */
  readonly sessionShare: number
  /**
   * k of RRF's 1/(k + rank), ≥ 0. Default 60, the value of Cormack, Clarke and Büttcher (2009). Only used by
   * RRF.
   */
  readonly rrfK: number
  /** How much decay, importance and recency count. Default: not at all. */
  readonly priors: PriorWeights
  /** Terms that evaluations leave out to see what each carries. Default none. Not used by RRF. */
  readonly without: ReadonlySet<RankingTerm>
}

/**
 * Whether neighbours and sessions count. They do not with RRF, which was not measured with them, nor if both
 * of their weights are 0.
 */
export function contextCounts({ method, neighbourDecay, sessionShare }: RankingOptions): boolean {
  return method === 'DEFAULT' && (neighbourDecay > 0 || sessionShare > 0)
}

/** See `RankingOptions.method`. */
export type RankingMethod = 'DEFAULT' | 'RRF'

/** The default, as measured. */
export const DEFAULT_RANKING: RankingOptions = {
  method: 'DEFAULT',
  lateInteraction: true,
  lexicalWeight: 0.6,
  vectorWeight: 0.4,
  candidatesPerRetriever: 100,
  neighbourDecay: 0.4,
  missingNeighbourShare: 0.5,
  sessionShare: 0.2,
  rrfK: 60,
  priors: NO_PRIORS,
  without: new Set(),
}
