import { readable, toRecord } from '@daybook/journal/stored-event'
import type { Memory } from '@daybook/memory/state'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Tables } from '@daybook/postgres/tables'
import { type Selectable, sql } from 'kysely'
import type { Place } from './claim.ts'

/**
 * The memories as they are at the generation's position: each by the newest of its events up to there that is not parked.
 * One without such an event is left out.
 */
export async function appliedMemories(
  { db, projectId }: ProjectScope,
  place: Place,
  { memoryIds, position }: { memoryIds: readonly string[]; position: number },
): Promise<Memory[]> {
  const { rows } = await sql<Selectable<Tables['events']>>`
    select distinct on (memory_id) * from events e
    where project_id = ${projectId} and memory_id = any(${memoryIds}::uuid[]) and sequence <= ${position}
      and not exists (
        select from parked_events p
        where p.projection = ${place.name} and p.generation = ${place.generation}
          and p.project_id = e.project_id and p.sequence = e.sequence)
    order by memory_id, version desc`.execute(db)
  return rows.map((row) => {
    const event = readable(toRecord(row))
    return { state: event.data.state, version: event.version, sequence: event.sequence }
  })
}
