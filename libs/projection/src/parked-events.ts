import type { DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type SqlBool, sql } from 'kysely'
import type { ParkedEvent, Projection } from './projection.ts'

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

/** An error's text may quote anything; one that the database refuses must not keep its event from being parked. */
const storable = (text: string) => text.slice(0, 2_000).replaceAll('\u0000', ' ').toWellFormed()

/** Notes events as parked. What is parked already stays as it is. */
export async function parkEvents(
  trx: DatabaseTransaction,
  place: Place,
  projectId: string,
  parked: readonly ParkedEvent[],
): Promise<void> {
  if (parked.length === 0) return
  await trx
    .insertInto('parked_events')
    .values(
      parked.map(({ sequence, memoryId, error, attempts }) => ({
        projection: place.name,
        generation: place.generation,
        project_id: projectId,
        sequence,
        memory_id: memoryId,
        error: storable(error),
        attempts,
      })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}
