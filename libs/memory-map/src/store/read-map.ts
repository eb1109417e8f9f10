import type { KindName } from '@daybook/memory/kinds/index'
import { filterCondition } from '@daybook/pgvector/read/filter'
import type { LiveReadModel } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/** A memory on a map. */
export interface MapPoint {
  /** Its plain id. */
  readonly id: string
  /** -1 to 1, as is `y`. */
  readonly x: number
  readonly y: number
  readonly kind: KindName
  readonly context: string | null
  /** Seconds since 1970. */
  readonly created: number
}

/** A map as it was made, with the memories that can be found now. */
export interface KeptMap {
  /** The sequence up to which the memories were read. */
  readonly sequence: number
  /** RFC 3339. */
  readonly madeAt: string
  readonly points: readonly MapPoint[]
}

/** How many memories there are, and how many of them a map cannot have. */
export interface MapCounts {
  readonly memories: number
  /** Remembered since the map was made; all of them if there is none. */
  readonly newer: number
}

interface MapRow {
  readonly sequence: number
  readonly made_at: string
}

interface CountsRow {
  readonly memories: number
  readonly newer: number
}

/**
 * The map of the live generation; null before the first. What was forgotten, erased or withheld since it was made is not
 * on it.
 */
export async function readMap(
  { db, projectId }: ProjectScope,
  { tables, generation: { projection, generation } }: LiveReadModel,
): Promise<KeptMap | null> {
  const { rows: kept } = await sql<MapRow>`
    select sequence, made_at from memory_maps
    where project_id = ${projectId} and projection = ${projection} and generation = ${generation}`.execute(db)
  const [map] = kept
  if (map === undefined) return null
  const { rows: points } = await sql<MapPoint>`
    select m.memory_id as id, place.x::float8 as x, place.y::float8 as y, m.kind, m.context, extract(epoch from m.created_at)::float8 as created
    from memory_maps map cross join lateral unnest(map.memory_ids, map.xs, map.ys) as place(memory_id, x, y)
    join ${tables.memories} m on m.project_id = ${projectId} and m.memory_id = place.memory_id
    where map.project_id = ${projectId} and map.projection = ${projection} and map.generation = ${generation}
      and ${filterCondition(tables, {})}
    order by m.first_sequence`.execute(db)
  return { sequence: map.sequence, madeAt: map.made_at, points }
}

/** Counts the memories that can be found. @param since the sequence that a map stands for; 0 without one */
export async function countForMap(
  { db, projectId }: ProjectScope,
  { tables }: LiveReadModel,
  since: number,
): Promise<MapCounts> {
  const { rows } = await sql<CountsRow>`
    select count(*) as memories, count(*) filter (where m.first_sequence > ${since}) as newer from ${tables.memories} m
    where m.project_id = ${projectId} and ${filterCondition(tables, {})}`.execute(db)
  return rows[0] ?? { memories: 0, newer: 0 }
}

/** Whether any memory that can be found has its vector, so that a map can be made. */
export async function hasVectors(
  { db, projectId }: ProjectScope,
  { tables }: LiveReadModel,
): Promise<boolean> {
  const { rows } = await sql<{ has: boolean }>`
    select exists (
      select from ${tables.vectors} v join ${tables.memories} m using (project_id, memory_id)
      where v.project_id = ${projectId} and ${filterCondition(tables, {})}
    ) as has`.execute(db)
  return rows[0]?.has === true
}
