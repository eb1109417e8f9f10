import { decayWeight } from '@daybook/memory/expiry'
import { sql } from 'kysely'
import { PRIORS, type PriorName, type PriorWeights, priorsCount } from '../ranking/options.ts'
import type { RankedHit } from '../ranking/rank.ts'
import type { SearchParts } from '../search-parts.ts'

/** What priors are made of. Times are milliseconds since 1970. */
export interface PriorFacts {
  /** When it happened, else when it was remembered. */
  readonly happened: number
  /** When it was last read, found or changed. */
  readonly used: number
  /** 0 to 10. */
  readonly importance: number
}

/**
 * Moves scores by what is known of memories before any question:
 *
 * ```
 * log-odds of the new score = log-odds of the score + decay·(0.5^(unused / half-life) − 1)
 *   + recency·(0.5^(age / half-life) − 1) + importance·(importance − 5) / 5
 * ```
 *
 * So with a weight of 1 the odds of something old are e times lower than those of something new, all else
 * equal. It works on both rankings, because the score stays within 0 to 1.
 *
 * @param facts by memory; what has none keeps its score
 */
export function withPriors(
  ranked: readonly RankedHit[],
  weights: PriorWeights,
  facts: ReadonlyMap<string, PriorFacts>,
  { now, halfLifeMs }: { readonly now: number; readonly halfLifeMs: number },
): readonly RankedHit[] {
  if (!priorsCount(weights)) return ranked
  const moved = ranked.map((hit) => {
    const fact = facts.get(hit.memoryId)
    if (fact === undefined) return hit
    const values: Readonly<Record<PriorName, number>> = {
      decay: decayWeight(fact.used, now, halfLifeMs) - 1,
      importance: (fact.importance - 5) / 5,
      recency: decayWeight(fact.happened, now, halfLifeMs) - 1,
    }
    const priors = PRIORS.filter((name) => weights[name] > 0).map((name) => {
      const [value, weight] = [values[name], weights[name]]
      return { name, value, weight, contribution: weight * value }
    })
    const score = movedBy(
      hit.score,
      priors.reduce((sum, { contribution }) => sum + contribution, 0),
    )
    return { ...hit, score, explanation: { ...hit.explanation, priors, score } }
  })
  return moved.toSorted((a, b) => b.score - a.score || (a.memoryId < b.memoryId ? -1 : 1))
}

/** The probability whose log-odds are higher by so much: `p·e^x / (1 − p + p·e^x)`. */
function movedBy(score: number, logOdds: number): number {
  const factor = Math.exp(logOdds)
  return (score * factor) / (1 - score + score * factor)
}

interface Row extends PriorFacts {
  readonly memory_id: string
}

/** Reads when memories happened and were last used, and how important they are, by id. */
export async function readPriors(
  { scope: { db, projectId }, readModel }: SearchParts,
  memoryIds: readonly string[],
): Promise<ReadonlyMap<string, PriorFacts>> {
  // `offset 0` makes the planner look up each memory by its key.
  const { rows } = await sql<Row>`
    select given.memory_id, m.importance, extract(epoch from m.happened)::float8 * 1000 as happened,
      extract(epoch from greatest(a.accessed_at, m.changed))::float8 * 1000 as used
    from unnest(${memoryIds}::uuid[]) as given(memory_id) cross join lateral (
      select importance, coalesce(occurred_at, created_at) as happened,
        coalesce((state->>'updatedAt')::timestamptz, created_at) as changed
      from ${readModel.tables.memories} where project_id = ${projectId} and memory_id = given.memory_id offset 0
    ) m left join lateral (
      select accessed_at from memory_access where project_id = ${projectId} and memory_id = given.memory_id offset 0
    ) a on true`.execute(db)
  return new Map(rows.map((row) => [row.memory_id, row]))
}
