import { readHead } from '@daybook/journal/read/read'
import { isAheadOfClock } from '@daybook/postgres/clock'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'
import { countParked } from '../apply/parked-events.ts'
import type { Generation } from '../generations/generations.ts'
import { readDivergence } from '../positions/divergence.ts'

/**
 * Milliseconds for which an event may wait, and the projection stand still, before the projection counts as
 * stopped.
 */
export const STOPPED_AFTER_MS = 30_000

/**
 *   live         usable, as far behind as its lag says
 *   rebuilding   live, and a new generation is being built beside it
 *   stopped      behind, and not moved for 30 s: nobody writes it
 *   diverged     has applied events that the journal does not have; its projector takes it back
 *   unreachable  its engine does not answer
 *   unusable     its tables do not fit this version of Daybook; it is rebuilt automatically
 */
export type ProjectionCondition = 'live' | 'rebuilding' | 'stopped' | 'diverged' | 'unreachable' | 'unusable'

/** How far a projection has come with one project's journal. */
export interface ProjectStatus {
  readonly name: string
  readonly generation: number
  readonly position: number
  readonly head: number
  /** Events not applied yet. Below 0 if the position is beyond the journal's end, which is `diverged`. */
  readonly lag: number
  readonly parked: number
  readonly status: ProjectionCondition
}

/** With the number of memories that are found by words but not by meaning yet. */
export interface ProjectionStatus extends ProjectStatus {
  readonly pendingEmbeddings: number
}

/** The moment since which something waits. A moment recorded while the clock was ahead tells nothing. */
const told = (moment: RawBuilder<unknown>) =>
  sql`case when ${isAheadOfClock(moment)} then '-infinity' else ${moment} end`

interface ConditionRow {
  readonly position: number
  readonly still: boolean
  readonly rebuilding: boolean
  readonly unusable: boolean
}

/**
 * Reads how far a generation has come with one project's journal.
 * @param reachable whether the projection's engine answers. Default true, for the journal's own database
 */
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
