import type { ScoreTerm } from './late/terms.ts'
import type { PriorContribution, RankingMethod, RankingOptions } from './options.ts'
import type { RetrieverName } from './retriever.ts'

/** What one retriever contributed to a hit. `contribution = weight · normalisedScore`. */
export interface RetrieverContribution {
  readonly retriever: RetrieverName
  /** rank in the retriever's list, from 1 */
  readonly rank: number
  /** the retriever's own score: L or the cosine */
  readonly rawScore: number
  /** 0 to 1: l or v of `retriever.ts`; with RRF (k + 1)/(k + rank) */
  readonly normalisedScore: number
  /** the retriever's weight: without terms 0 to 1, and all that ran add up to 1 */
  readonly weight: number
  readonly contribution: number
}

/** What one neighbour contributed to a hit: `λ^distance` times its own score, before scaling. */
export interface NeighbourContribution {
  readonly memoryId: string
  readonly distance: 1 | 2
  readonly contribution: number
}

/** What the best hit of the same session contributed to a hit: σ times its own score, before scaling. */
export interface SessionContribution {
  /** the best hit of the session; the hit itself if it is the best or has no context */
  readonly memoryId: string
  readonly contribution: number
}

/**
 * Why a hit has its score. Without `terms`, the parts add up to it:
 *
 * ```
 * ownScore = Σ retrievers.contribution
 * score    = scale · (ownScore + Σ neighbours.contribution + missingNeighbours + session.contribution)
 * ```
 *
 * With `terms` (late interaction), the terms add up to its log-odds: `score = 1 / (1 + e^−Σ
 * terms.contribution)`. The contributions of `retrievers` are then the terms `words` and `vector` once more;
 * `neighbours` is empty, `session` null, `ownScore` the score itself.
 */
export interface HitExplanation {
  readonly method: RankingMethod
  /** The retrievers that found the hit, lexical first; none if only neighbours brought it in. */
  readonly retrievers: readonly RetrieverContribution[]
  /** The terms of late interaction; empty if the hit was ranked without. */
  readonly terms: readonly ScoreTerm[]
  /** The neighbours that the search found too, nearest first. Others contribute nothing. */
  readonly neighbours: readonly NeighbourContribution[]
  /** The substitute for all neighbours that do not exist, before scaling. */
  readonly missingNeighbours: number
  /** Null if sessions do not count: with RRF, and for a hit that was looked up by its key. */
  readonly session: SessionContribution | null
  /** S, 0 to 1: the fused score of the memory itself */
  readonly ownScore: number
  /**
   * 1 / (1 + 2λ + 2λ² + σ), which keeps the score within 1; 1 with RRF. Lower if other hits are preferred
   * because a person named in the question speaks in them (`speakers.ts`).
   */
  readonly scale: number
  /**
   * What is known of the memory before any question added to the log-odds of the score that all the rest makes: decay, importance
   * and recency if a search gives them weights, and that a newer memory says the same thing.
   */
  readonly priors: readonly PriorContribution[]
  /** 0 to 1 */
  readonly score: number
}

/** The explanation of a score in which no context counts. */
export const plainExplanation = (
  made: Pick<HitExplanation, 'method' | 'retrievers' | 'score'> & Partial<Pick<HitExplanation, 'terms'>>,
): HitExplanation => ({
  terms: [],
  priors: [],
  neighbours: [],
  missingNeighbours: 0,
  session: null,
  ownScore: made.score,
  scale: 1,
  ...made,
})

/**
 * The options with the weights of left-out terms set to 0. The others have none there: whoever computes them
 * asks `options.without`.
 */
export function withoutTerms(options: RankingOptions): RankingOptions {
  const { without } = options
  if (without.size === 0) return options
  return {
    ...options,
    ...(without.has('lexical') && { lexicalWeight: 0 }),
    ...(without.has('vector') && { vectorWeight: 0 }),
    ...(without.has('neighbours') && { neighbourDecay: 0 }),
    ...(without.has('session') && { sessionShare: 0 }),
    ...(without.has('tokens') && { lateInteraction: false }),
  }
}
