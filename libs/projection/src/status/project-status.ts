import { readHead } from '@daybook/journal/read/read'
import { isAheadOfClock } from '@daybook/postgres/clock'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'
import { countParked } from '../apply/parked-events.ts'
import type { Generation } from '../generations/generations.ts'
import { readDivergence } from '../positions/divergence.ts'

/** Milliseconds that an event may wait, and the projection stand still, before it counts as stopped. */
export const STOPPED_AFTER_MS = 30_000

/**
 * live         as far as its lag says
 * rebuilding   live, and a new generation is being made beside it
 * stopped      behind, and it has not moved for half a minute: nobody writes it
 * diverged     it has applied events that the journal does not have; whoever writes it takes it back to the last that both have
 * unreachable  what it is kept in does not answer
 * unusable     its tables are others than this Daybook's: it is made anew by itself
 */
export type ProjectionCondition = 'live' | 'rebuilding' | 'stopped' | 'diverged' | 'unreachable' | 'unusable'

/** How far a projection has come with one project's journal. */
export interface ProjectStatus {
  readonly name: string
  readonly generation: number
  readonly position: number
  readonly head: number
  /** Events that it has still to apply; below 0 where it is beyond the journal's end, which is `diverged`. */
  readonly lag: number
  readonly parked: number
  readonly status: ProjectionCondition
}

/** Besides, how many memories are found by words already but not by meaning yet. */
export interface ProjectionStatus extends ProjectStatus {
  readonly pendingEmbeddings: number
}

/** Since when something waits, as far as a moment tells: one that was noted while the clock was ahead tells nothing. */
const told = (moment: RawBuilder<unknown>) =>
  sql`case when ${isAheadOfClock(moment)} then '-infinity' else ${moment} end`

interface ConditionRow {
  readonly position: number
  readonly still: boolean
  readonly rebuilding: boolean
  readonly unusable: boolean
}

/** @param reachable whether what the projection is kept in answers; true where that is the journal's own database */
export async function readProjectStatus(
  scope: ProjectScope,
  { projection, generation }: Pick<Generation, 'projection' | 'generation'>,
  reachable = true,
): Promise<ProjectStatus> {
  const place = { name: projection, generation }
  const { rows } = await sql<ConditionRow>`
    with place as (
      select coalesce(max(position), 0) as position, coalesce(max(moved_at), '-infinity') as moved_at from positions
      where projection = ${projection} and generation = ${generation} and project_id = ${scope.projectId}
    ), since as (select now() - ${STOPPED_AFTER_MS}::int * interval '1 millisecond' as moment)
    select position, exists (
        select from events where project_id = ${scope.projectId} and sequence = place.position + 1
          and greatest(${told(sql`recorded_at`)}, ${told(sql`place.moved_at`)}) < since.moment) as still,
      exists (
        select from generations
        where projection = ${projection} and status in ('building', 'following')) as rebuilding,
      exists (
        select from generations where projection = ${projection} and generation = ${generation} and unusable is not null) as unusable
    from place, since`.execute(scope.db)
  const { position = 0, still = false, rebuilding = false, unusable = false } = rows[0] ?? {}
  const head = await readHead(scope)
  const diverged = (await readDivergence(scope, place)) !== null
  const written = diverged ? 'diverged' : still ? 'stopped' : rebuilding ? 'rebuilding' : 'live'
  return {
    ...place,
    position,
    head,
    lag: head - position,
    parked: await countParked(scope, place),
    status: unusable ? 'unusable' : reachable ? written : 'unreachable',
  }
}
