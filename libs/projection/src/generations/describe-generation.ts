import type { Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import type { Generation } from './generations.ts'

/** How far a generation has come, over all projects. */
export interface GenerationProgress {
  /** Events not applied yet. */
  readonly lag: number
  /** Parked events that nobody has dropped. */
  readonly parked: number
  /** The sum of its positions. It grows whenever a projector makes progress. */
  readonly applied: number
}

/** Reads a generation's progress over all projects. */
export async function describeGeneration(
  db: Queryable,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
): Promise<GenerationProgress> {
  const { rows } = await sql<GenerationProgress>`
    select
      (select coalesce(sum(greatest(head.sequence - coalesce(place.position, 0), 0)), 0)::bigint
        from journal_heads head left join positions place on place.project_id = head.project_id
          and place.projection = ${projection} and place.generation = ${generation}) as lag,
      (select count(*) from parked_events
        where projection = ${projection} and generation = ${generation} and dropped_at is null) as parked,
      (select coalesce(sum(position), 0)::bigint from positions
        where projection = ${projection} and generation = ${generation}) as applied`.execute(db)
  return rows[0] ?? { lag: 0, parked: 0, applied: 0 }
}
