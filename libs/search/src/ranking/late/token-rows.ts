import type { WeightedToken } from './weighted-tokens.ts'

/** What the scoring kernel tells of one memory: how well its tokens match each token of the question. */
export interface TokenMatches {
  /** For each token of the question, the highest estimated cosine to a token of the memory. */
  readonly best: Float32Array
  /** How many tokens the memory has. */
  readonly tokens: number
}

/** Rows by memory; a memory whose embedding is not there yet has none. */
export type TokenRows = ReadonlyMap<string, TokenMatches>

/** Rows by memory. @param hashes of the memories' texts, by memory @param matches of texts, by hash */
export const rowsByMemory = (
  hashes: ReadonlyMap<string, string>,
  matches: ReadonlyMap<string, TokenMatches>,
): TokenRows =>
  new Map(
    [...hashes].flatMap(([id, hash]) => {
      const ofText = matches.get(hash)
      return ofText === undefined ? [] : [[id, ofText] as const]
    }),
  )

/**
 * From this cosine on, a memory's own match counts fully. An exact repetition of the question's words tells
 * little more than a good match in meaning: turns that ask repeat it, turns that answer need not. .4 and .6
 * are as good; without a cap LoCoMo loses .02 recall.
 */
const FULL_MATCH = 0.5

/**
 * MaxSim of a memory: the mean, by weight, of the best match of each token of the question. Each match counts
 * up to `FULL_MATCH`.
 *
 * Source: Khattab and Zaharia, "ColBERT" (SIGIR 2020); the weights and the cap are ours, as measured
 * (`docs/measurements.md#late-interaction`).
 */
export function ownMatch(weightedTokens: readonly WeightedToken[], { best }: TokenMatches): number {
  let sum = 0
  let whole = 0
  for (let token = 0; token < weightedTokens.length; token++) {
    const weight = weightedTokens[token]?.weight ?? 0
    sum += weight * Math.min(FULL_MATCH, best[token] ?? 0)
    whole += weight
  }
  return whole > 0 ? sum / whole : 0
}

/** What stands beside a memory, and how far it continues it, 0 to 1. */
export interface MatchesBeside {
  readonly matches: TokenMatches
  readonly share: number
}

/**
 * MaxSim of a memory together with those around it: every token of the question may match in any of them. An
 * answer seldom repeats what it answers; the turn before it does. It has no cap. What a neighbour matches better counts as far as it continues
 * the memory: beside an unrelated one nothing is gained.
 *
 * @param own the memory's; undefined if it is not embedded yet, then its neighbours' count in full
 */
export function nearMatch(
  weightedTokens: readonly WeightedToken[],
  own: TokenMatches | undefined,
  beside: readonly MatchesBeside[] = [],
): number {
  let sum = 0
  let whole = 0
  for (let token = 0; token < weightedTokens.length; token++) {
    const weight = weightedTokens[token]?.weight ?? 0
    const least = own?.best[token] ?? (own === undefined ? Number.NEGATIVE_INFINITY : 0)
    let most = least
    for (const { matches, share } of beside) {
      const other = matches.best[token] ?? 0
      if (other > most) most = Math.max(most, own === undefined ? other : least + share * (other - least))
    }
    sum += weight * most
    whole += weight
  }
  return whole > 0 ? sum / whole : 0
}
