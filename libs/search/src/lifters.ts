import type { Neighbourhoods } from './ranking/neighbourhood.ts'
import type { RankedHit } from './ranking/rank.ts'

/** The memories that contributed to hits and are no hits themselves. */
export function liftersOf(ranked: readonly RankedHit[]): string[] {
  const lifters = new Set<string>()
  for (const { explanation } of ranked) {
    for (const { memoryId } of explanation.neighbours) lifters.add(memoryId)
    if (explanation.session !== null) lifters.add(explanation.session.memoryId)
  }
  return withoutHits(lifters, ranked)
}

/**
 * The same where tokens are compared: the memories whose tokens matched together with those of a hit, and the
 * best of its session.
 */
export function surroundingsOf(ranked: readonly RankedHit[], neighbourhoods: Neighbourhoods): string[] {
  const lifters = new Set(liftersOf(ranked))
  for (const { memoryId } of ranked) {
    const neighbourhood = neighbourhoods.get(memoryId)
    for (const id of [...(neighbourhood?.before ?? []), ...(neighbourhood?.after ?? [])]) lifters.add(id)
  }
  return withoutHits(lifters, ranked)
}

function withoutHits(ids: ReadonlySet<string>, ranked: readonly RankedHit[]): string[] {
  const hits = new Set(ranked.map((hit) => hit.memoryId))
  return [...ids].filter((id) => !hits.has(id))
}
