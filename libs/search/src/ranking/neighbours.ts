import type { NeighbourContribution } from './explanation.ts'
import type { Neighbourhood } from './neighbourhood.ts'
import type { RankingOptions } from './options.ts'

/** What its neighbours contribute to a memory, before scaling. */
export interface NeighboursShare {
  readonly neighbours: readonly NeighbourContribution[]
  /** the substitute for neighbours that do not exist */
  readonly missing: number
  /** the most that all of them together can contribute: 2λ + 2λ² */
  readonly weight: number
}

/**
 * Raises a memory's score by what was said right before and after it:
 *
 * ```
 * Σ_{d=1,2} λ^d · [S(i−d) + S(i+d)]
 * ```
 *
 * This is the largest single gain (`docs/measurements.md#ranking-on-locomo`). A neighbour that is no
 * candidate counts 0. One that does not exist, at the end of a session, counts γ·S(i). A memory without a
 * context lacks all four, so memories with and without a context stay comparable.
 *
 * @param ownScore S(i); 0 for a memory that no retriever found
 * @param neighbourhood of the memory; null without a context
 * @param scoreOf S of any memory; 0 if it is no candidate
 */
export function neighboursShare(
  ownScore: number,
  neighbourhood: Neighbourhood | null,
  scoreOf: (memoryId: string) => number,
  options: Pick<RankingOptions, 'neighbourDecay' | 'missingNeighbourShare'>,
): NeighboursShare {
  const neighbours: NeighbourContribution[] = []
  let missing = 0
  let weight = 0
  for (const distance of [1, 2] as const) {
    const each = options.neighbourDecay ** distance
    for (const side of [neighbourhood?.before, neighbourhood?.after]) {
      const memoryId = side?.[distance - 1]
      const score = memoryId === undefined ? options.missingNeighbourShare * ownScore : scoreOf(memoryId)
      const contribution = each * score
      if (memoryId === undefined) missing += contribution
      else if (contribution > 0) neighbours.push({ memoryId, distance, contribution })
      weight += each
    }
  }
  return { neighbours, missing, weight }
}
