import type { SessionContribution } from './explanation.ts'
import type { Fused } from './fuse.ts'
import type { Neighbourhood } from './neighbourhood.ts'

/**
 * What a session contributes to each of its hits: σ times the score of its best candidate. A hit in a
 * conversation about the question is worth more than the same hit elsewhere. A session is all memories of one
 * context. A memory without a context is a session of its own, so the order among such memories does not
 * change.
 *
 * @param candidates what the retrievers found
 * @param contextOf the context of each candidate; undefined without one
 * @param share σ
 * @returns a function that tells what a memory's session contributes
 */
export function sessionShares(
  candidates: Iterable<Fused>,
  contextOf: (memoryId: string) => string | undefined,
  share: number,
): (own: Fused, neighbourhood: Neighbourhood | null) => SessionContribution {
  const best = new Map<string, Fused>()
  for (const candidate of candidates) {
    const context = contextOf(candidate.memoryId)
    if (context === undefined) continue
    const known = best.get(context)
    if (known === undefined || isBetter(candidate, known)) best.set(context, candidate)
  }
  return (own, neighbourhood) => {
    const { memoryId, score } = (neighbourhood !== null && best.get(neighbourhood.context)) || own
    return { memoryId, contribution: share * score }
  }
}

/** Equal scores are ordered by id, so that the order of the candidates does not matter. */
const isBetter = (one: Fused, other: Fused) =>
  one.score > other.score || (one.score === other.score && one.memoryId < other.memoryId)
