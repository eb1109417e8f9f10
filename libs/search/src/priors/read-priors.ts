import { sql } from 'kysely'
import type { SearchParts } from '../search-parts.ts'
import type { PriorFacts } from './with-priors.ts'

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
