import type { KindName } from '@daybook/memory/kinds/index'
import { filterCondition } from '@daybook/pgvector/read/filter'
import type { LiveReadModel, ReadTables } from '@daybook/pgvector/read/live-read-model'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations/generations'
import { sql } from 'kysely'
import type { Matrix } from '../layout/matrix.ts'

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
interface MapCounts {
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

/** A map to keep. */
interface MapToSave {
  /** The sequence up to which the memories were read. */
  readonly sequence: number
  readonly ids: readonly string[]
  /** x and y of each memory. */
  readonly places: Float32Array
}

/**
 * Keeps a map, in place of the one before.
 * @returns false if the generation or the project is gone
 */
export async function saveMap(
  { db, projectId }: ProjectScope,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
  { sequence, ids, places }: MapToSave,
): Promise<boolean> {
  const column = (first: number) => Array.from(ids, (_, at) => places[2 * at + first] as number)
  const { numAffectedRows = 0n } = await sql`
    insert into memory_maps (project_id, projection, generation, sequence, memory_ids, xs, ys)
    select ${projectId}, projection, generation, ${sequence}, ${ids}::uuid[], ${column(0)}::real[], ${column(1)}::real[]
    from generations where projection = ${projection} and generation = ${generation} and status <> 'dropping'
      and exists (select from projects where id = ${projectId})
    on conflict (project_id, projection, generation) do update set
      sequence = excluded.sequence, made_at = now(), memory_ids = excluded.memory_ids, xs = excluded.xs, ys = excluded.ys`.execute(
    db,
  )
  return numAffectedRows > 0n
}

/**
 * Memories per statement. On the embedded database, where everybody waits for it, some 30 ms.
 */
const PAGE = 250

/** Memories with their vectors: the row of the matrix at the same place. */
interface MemoryVectors {
  readonly ids: readonly string[]
  readonly vectors: Matrix
}

interface VectorRow {
  readonly memory_id: string
  readonly first_sequence: number
  readonly vector: string | null
}

/**
 * Reads the vectors of the memories that can be found, the newest first. That of a long memory is the mean of its chunks'.
 * @param most memories
 * @param onRead gets how many were read so far. It may throw to end the reading
 */
export async function readMemoryVectors(
  { db, projectId }: ProjectScope,
  tables: ReadTables,
  dimension: number,
  { most, onRead }: { readonly most: number; onRead(read: number): Promise<void> },
): Promise<MemoryVectors> {
  const ids: string[] = []
  const vectors: Float32Array[] = []
  for (let before: number | null = null; ids.length < most; ) {
    const { rows }: { rows: VectorRow[] } = await sql<VectorRow>`
      select p.memory_id, p.first_sequence, (
        select avg(v.embedding)::text from ${tables.vectors} v
        where v.project_id = ${projectId} and v.memory_id = p.memory_id
      ) as vector
      from (
        select m.memory_id, m.first_sequence from ${tables.memories} m
        where m.project_id = ${projectId} and ${filterCondition(tables, {})}
          and (${before}::bigint is null or m.first_sequence < ${before})
        order by m.first_sequence desc limit ${PAGE}
      ) p order by p.first_sequence desc`.execute(db)
    for (const { memory_id, vector } of rows)
      if (vector !== null && ids.length < most) {
        ids.push(memory_id)
        vectors.push(unit(JSON.parse(vector) as number[]))
      }
    await onRead(ids.length)
    if (rows.length < PAGE) break
    before = rows.at(-1)?.first_sequence ?? null
  }
  const values = new Float32Array(ids.length * dimension)
  for (const [row, vector] of vectors.entries()) values.set(vector, row * dimension)
  return { ids, vectors: { rows: ids.length, columns: dimension, values } }
}

/** Of the length 1, so that distances are those of meanings: a mean is shorter. */
function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector)
  return Float32Array.from(vector, (value) => (length === 0 ? 0 : value / length))
}
