import type { NeighbourContribution } from './explanation.ts'
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

/**
 * The memories around one memory: those before and after it in the same context and of the same kind, in
 * sequence order.
 *
 * Up to three on each side, nearest first. A memory needs two of its own; the neighbour that it brings into
 * the pool needs two of its own too, and the farther of those is the third from here. Fewer than three in a
 * direction means that the session ends there.
 */
export interface Neighbourhood {
  readonly memoryId: string
  readonly context: string
  /** the previous one, the one before it, and the one before that */
  readonly before: readonly string[]
  /** the next one, the one after it, and the one after that */
  readonly after: readonly string[]
}

/** Neighbourhoods by memory; null or absent for a memory without a context. */
export type Neighbourhoods = ReadonlyMap<string, Neighbourhood | null>

/**
 * The neighbourhood of the previous memory as far as scores need it: two on each side. Null at the start of
 * the session.
 */
function neighbourhoodOfPrevious({ memoryId, context, before, after }: Neighbourhood): Neighbourhood | null {
  const [previous, ...farther] = before
  if (previous === undefined) return null
  return { memoryId: previous, context, before: farther, after: [memoryId, ...after.slice(0, 1)] }
}

/** The same for the next memory. Null at the end of the session. */
function neighbourhoodOfNext({ memoryId, context, before, after }: Neighbourhood): Neighbourhood | null {
  const [next, ...farther] = after
  if (next === undefined) return null
  return { memoryId: next, context, before: [memoryId, ...before.slice(0, 1)], after: farther }
}

/**
 * The neighbourhoods of the whole pool: those of the candidates, and those derived for their neighbours at
 * distance 1. A neighbourhood given by the caller takes precedence over a derived one. Of two derived ones,
 * that from the candidate with the smaller id is used, so that the order of the input does not matter.
 *
 * @param candidates ids of what the retrievers found
 */
export function poolNeighbourhoods(
  candidates: Iterable<string>,
  neighbourhoods: Neighbourhoods,
): Map<string, Neighbourhood | null> {
  const pool = new Map<string, Neighbourhood | null>()
  for (const id of candidates) pool.set(id, neighbourhoods.get(id) ?? null)
  for (const id of [...pool.keys()].toSorted()) {
    const own = neighbourhoods.get(id)
    if (own == null) continue
    for (const derived of [neighbourhoodOfPrevious(own), neighbourhoodOfNext(own)]) {
      // A candidate whose own neighbours were not looked up stands beside one whose were.
      if (derived === null || pool.get(derived.memoryId) != null) continue
      pool.set(derived.memoryId, neighbourhoods.get(derived.memoryId) ?? derived)
    }
  }
  return pool
}
