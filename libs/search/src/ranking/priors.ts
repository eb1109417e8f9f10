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
  readonly name: PriorName
  /** decay and recency: −1 (long ago) to 0 (now); importance: −1 (0 of 10) to 1 (10 of 10), 0 for the default. */
  readonly value: number
  readonly weight: number
  readonly contribution: number
}
