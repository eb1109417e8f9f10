import { readSupersededBy } from '@daybook/pgvector/read/links'
import type { SearchParts } from './search-parts.ts'

/** What is put in order. */
interface Scored {
  readonly memoryId: string
  readonly score: number
}

/** A hit, and the plain id of the memory that supersedes it, if there is one. */
export type Succeeded<Hit> = Hit & { readonly supersededBy?: string }

/**
 * Puts each memory that another of these supersedes below that one, with at most its score: who asks wants to
 * know what is true now. Where the newer memory is not among them, the older one stays where it is: it is all
 * that is known of the question, and its `supersededBy` says where to go on.
 */
export async function belowSuccessors<Hit extends Scored>(
  { scope, readModel }: Pick<SearchParts, 'scope' | 'readModel'>,
  hits: readonly Hit[],
): Promise<readonly Succeeded<Hit>[]> {
  if (hits.length === 0) return hits
  const successors = await readSupersededBy(
    scope,
    readModel.tables,
    hits.map(({ memoryId }) => memoryId),
  )
  return successors.size === 0 ? hits : orderBySuccession(hits, successors)
}

/** The order of `belowSuccessors`. @param successors the newer memory's id by that of the older one */
export function orderBySuccession<Hit extends Scored>(
  hits: readonly Hit[],
  successors: ReadonlyMap<string, string>,
): readonly Succeeded<Hit>[] {
  const byId = new Map(hits.map((hit) => [hit.memoryId, hit]))
  const placed = hits.map((hit) => {
    let score = hit.score
    let generations = 0
    // Memories may supersede each other in a circle.
    const seen = new Set([hit.memoryId])
    for (let id = successors.get(hit.memoryId); id !== undefined && !seen.has(id); id = successors.get(id)) {
      const newer = byId.get(id)
      if (newer === undefined) break
      seen.add(id)
      score = Math.min(score, newer.score)
      generations += 1
    }
    const supersededBy = successors.get(hit.memoryId)
    return { hit: supersededBy === undefined ? hit : { ...hit, score, supersededBy }, generations }
  })
  return placed
    .toSorted((a, b) => b.hit.score - a.hit.score || a.generations - b.generations)
    .map(({ hit }) => hit)
}
