import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type SqlBool, sql } from 'kysely'
import type { Projection } from './projection.ts'

type Place = Pick<Projection, 'name' | 'generation'>

/** Which of these memories have a parked event: their later events must wait behind it. */
export async function memoriesWithParkedEvents(
  { db, projectId }: ProjectScope,
  place: Place,
  memoryIds: readonly string[],
): Promise<Set<string>> {
  const rows = await db
    .selectFrom('parked_events')
    .select('memory_id')
    .distinct()
    .where('projection', '=', place.name)
    .where('generation', '=', place.generation)
    .where('project_id', '=', projectId)
    .where(sql<SqlBool>`memory_id = any(${memoryIds}::uuid[])`)
    .execute()
  return new Set(rows.map((row) => row.memory_id))
}

/** How many of the project's events are parked in this generation. */
export async function countParked({ db, projectId }: ProjectScope, place: Place): Promise<number> {
  const row = await db
    .selectFrom('parked_events')
    .select((eb) => eb.fn.countAll<number>().as('parked'))
    .where('projection', '=', place.name)
    .where('generation', '=', place.generation)
    .where('project_id', '=', projectId)
    .executeTakeFirstOrThrow()
  return row.parked
}
