import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations/generations'
import { sql } from 'kysely'

/** A map to keep. */
export interface MapToSave {
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
