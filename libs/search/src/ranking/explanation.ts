import type { RankingMethod } from './options.ts'
import type { RetrieverName } from './retriever.ts'

/** What one retriever gave to a hit. `contribution = weight · normalisedScore`. */
export interface RetrieverContribution {
  readonly retriever: RetrieverName
  /** place in the retriever, the first is 1 */
  readonly rank: number
  /** the retriever's own score: L or the cosine */
  readonly rawScore: number
  /** 0 to 1: l or v of `retriever.ts`; with RRF (k + 1)/(k + rank) */
  readonly normalisedScore: number
  /** the retriever's share, 0 to 1; the shares of all retrievers that ran add up to 1 */
  readonly weight: number
  readonly contribution: number
}

/** What one memory in the same session gave to a hit: `λ^distance` of its own score, before scaling. */
export interface NeighbourContribution {
  readonly memoryId: string
  readonly distance: 1 | 2
  readonly contribution: number
}

/** What the best hit of the same session gave to a hit: σ of that one's own score, before scaling. */
export interface SessionContribution {
  /** the best hit of the session; the hit itself where it is that, or has no context */
  readonly memoryId: string
  readonly contribution: number
}

/**
 * Why a hit scores what it scores. It adds up:
 *
 * ```
 * ownScore = Σ retrievers.contribution
 * score    = scale · (ownScore + Σ neighbours.contribution + missingNeighbours + session.contribution)
 * ```
 */
export interface HitExplanation {
  readonly method: RankingMethod
  /** The retrievers that found the hit, lexical first; none for a memory that came in by its neighbours alone. */
  readonly retrievers: readonly RetrieverContribution[]
  /** The neighbours that the search found too, nearest first; the others give nothing. */
  readonly neighbours: readonly NeighbourContribution[]
  /** What stands in for neighbours that do not exist, all together, before scaling. */
  readonly missingNeighbours: number
  /** Null where sessions take no part: with RRF, and for a hit that was looked up by its key. */
  readonly session: SessionContribution | null
  /** S, 0 to 1: the fused score of the memory itself */
  readonly ownScore: number
  /**
   * 1 / (1 + 2λ + 2λ² + σ), which keeps the score within 1; 1 with RRF. Lower where other hits are preferred, because
   * somebody whom the question names speaks in them (`speakers.ts`).
   */
  readonly scale: number
  /** 0 to 1 */
  readonly score: number
}
