import type { NeighbourContribution } from './explanation.ts'
import type { Neighbourhood } from './neighbourhood.ts'
import type { RankingOptions } from './options.ts'

/** A score after its neighbours were heard. `score = scale · (S + Σ neighbours.contribution + missing)`. */
export interface Lifted {
  readonly neighbours: readonly NeighbourContribution[]
  /** what stands in for neighbours that do not exist, before scaling */
  readonly missing: number
  readonly scale: number
  /** 0 to 1 */
  readonly score: number
}

/**
 * Whether neighbours take part: not with RRF, whose scores are ranks and were not measured with them, and not with λ = 0,
 * where they add nothing.
 */
export function neighboursCount({ method, neighbourDecay }: RankingOptions): boolean {
  return method === 'DEFAULT' && neighbourDecay > 0
}

/**
 * Lifts a memory by what was said right before and after it:
 *
 * ```
 * S'(i) = (S(i) + Σ_{d=1,2} λ^d · [S(i−d) + S(i+d)]) / (1 + 2λ + 2λ²)
 * ```
 *
 * recall@10 .679 → .748 (DEV), .637 → .709 (HELD). A neighbour that is no candidate counts 0. One that does not exist, at the
 * end of a session, counts γ·S(i); a memory without a context lacks all four, so that memories with and without a context
 * are on one scale. Divided by the weights' sum, which leaves the order alone and the score within 0 to 1.
 *
 * @param ownScore S(i); 0 for a memory that no leg found
 * @param neighbourhood of the memory; null without a context
 * @param scoreOf S of any memory; 0 where it is no candidate
 */
export function liftByNeighbours(
  ownScore: number,
  neighbourhood: Neighbourhood | null,
  scoreOf: (memoryId: string) => number,
  options: Pick<RankingOptions, 'neighbourDecay' | 'missingNeighbourShare'>,
): Lifted {
  const neighbours: NeighbourContribution[] = []
  let missing = 0
  let sum = ownScore
  let weights = 1
  for (const distance of [1, 2] as const) {
    const weight = options.neighbourDecay ** distance
    for (const side of [neighbourhood?.before, neighbourhood?.after]) {
      const memoryId = side?.[distance - 1]
      const score = memoryId === undefined ? options.missingNeighbourShare * ownScore : scoreOf(memoryId)
      const contribution = weight * score
      if (memoryId === undefined) missing += contribution
      else if (contribution > 0) neighbours.push({ memoryId, distance, contribution })
      sum += contribution
      weights += weight
    }
  }
  return { neighbours, missing, scale: 1 / weights, score: Math.min(1, sum / weights) }
}
