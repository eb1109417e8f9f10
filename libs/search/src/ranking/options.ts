/** How hits are ordered. The numbers are recall@10 on LoCoMo (see `ranking.md`): DEV and HELD, or one for all ten conversations. */
export interface RankingOptions {
  /**
   * `DEFAULT` fuses the retrievers' scores and lifts hits by what stands beside them. `RRF` is reciprocal rank fusion and no more,
   * for those who expect it: .590/.523, worse than BM25 alone (.617/.603), as a strong and a weak retriever need scores, not ranks;
   * fused by scores they reach .679/.637, with everything else .777/.735.
   */
  readonly method: RankingMethod
  /**
   * The lexical retriever's share of a score, ≥ 0. Default .6: .5 gave .739, .6 .756, .7 .761, words alone .730. Only the ratio to `vectorWeight` counts; not both may be 0.
   * Not used by RRF.
   */
  readonly lexicalWeight: number
  /** The vector retriever's share of a score, ≥ 0. Default .4. Not used by RRF. */
  readonly vectorWeight: number
  /** How many of a retriever's best hits take part. Default 100: 50 gave .751, 100 .756, 200 .758. */
  readonly candidatesPerRetriever: number
  /**
   * λ, 0 to 1: what a neighbour's score counts at distance 1; λ² at distance 2. 0 switches neighbours off (.678 instead of
   * .756). Default .4: .5 suits dialogue by .006 more, but where the order means nothing (shuffled) .5 loses .037, .4 .023.
   */
  readonly neighbourDecay: number
  /**
   * γ, 0 to 1: a neighbour that does not exist (the session ends, or there is none) counts as this share of the hit's own
   * score. Default .5. With 0, the first and last of a session and memories without one would fall behind for no fault of theirs.
   */
  readonly missingNeighbourShare: number
  /**
   * σ, 0 to 1: what the best hit of the same context counts for every hit in it. Default .2: recall@10 .777 → .783
   * (DEV), .735 → .742 (HELD); with everything else of today .793 → .801 (DEV), .1 gave .796, .3 .801. A memory without a context is a session of its own, so that nothing changes among such.
   */
  readonly sessionShare: number
  /** k of RRF's 1/(k + rank), ≥ 0. Default 60, the value of Cormack, Clarke and Büttcher (2009). Only used by RRF. */
  readonly rrfK: number
}

/**
 * Whether what stands beside a memory takes part: not with RRF, whose scores are ranks and were not measured with it, and not
 * where neither neighbours nor sessions add anything.
 */
export function contextCounts({ method, neighbourDecay, sessionShare }: RankingOptions): boolean {
  return method === 'DEFAULT' && (neighbourDecay > 0 || sessionShare > 0)
}

export type RankingMethod = 'DEFAULT' | 'RRF'

/** The measured default. */
export const DEFAULT_RANKING: RankingOptions = {
  method: 'DEFAULT',
  lexicalWeight: 0.6,
  vectorWeight: 0.4,
  candidatesPerRetriever: 100,
  neighbourDecay: 0.4,
  missingNeighbourShare: 0.5,
  sessionShare: 0.2,
  rrfK: 60,
}
