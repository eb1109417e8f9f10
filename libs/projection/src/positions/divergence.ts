import type { JournalCursor } from '@daybook/memory/events'
import type { Database, Queryable } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { type RawBuilder, sql } from 'kysely'
import type { GenerationRef } from '../generations/generation-ref.ts'

/**
 * A position that the journal does not have: it lies beyond the journal's end, or the journal has another
 * event there.
 */
export interface Divergence {
  /** The projection's position. */
  readonly position: JournalCursor
  /** The journal's end; its start if the journal is gone. */
  readonly head: JournalCursor
}

/** A divergence with its project. */
export interface DivergedProject extends Divergence {
  readonly projectId: string
}

const ZEROS = sql`decode(repeat('00', 32), 'hex')`

/**
 * A condition on a row `place` of `positions`, left joined with the row `head` of `journal_heads`: the
 * journal does not have the position. Only a position before the journal's end costs an index lookup.
 */
export const isDiverged: RawBuilder<boolean> = sql<boolean>`(
  place.position > coalesce(head.sequence, 0)
  or place.position = coalesce(head.sequence, 0) and place.hash <> coalesce(head.hash, ${ZEROS})
  or place.position < head.sequence and case when place.position = 0 then place.hash <> ${ZEROS}
    else not exists (
      select from events e
      where e.project_id = place.project_id and e.sequence = place.position and e.hash = place.hash) end)`

interface Row {
  readonly project_id: string
  readonly position: number
  readonly hash: string
  readonly head_sequence: number
  readonly head_hash: string
}

const read = (db: Queryable, place: GenerationRef, projectId: string | null) =>
  sql<Row>`
  select place.project_id, place.position, encode(place.hash, 'hex') as hash,
    coalesce(head.sequence, 0) as head_sequence, encode(coalesce(head.hash, ${ZEROS}), 'hex') as head_hash
  from positions place left join journal_heads head on head.project_id = place.project_id
  where place.projection = ${place.name} and place.generation = ${place.generation}
    and (${projectId}::uuid is null or place.project_id = ${projectId}::uuid) and ${isDiverged}`.execute(db)

const toDiverged = (row: Row): DivergedProject => ({
  projectId: row.project_id,
  position: { sequence: row.position, hash: row.hash },
  head: { sequence: row.head_sequence, hash: row.head_hash },
})

/** Reads the divergence of a generation in a project. @returns null if the journal has the position */
export async function readDivergence(
  { db, projectId }: ProjectScope,
  place: GenerationRef,
): Promise<Divergence | null> {
  const { rows } = await read(db, place, projectId)
  return rows[0] === undefined ? null : toDiverged(rows[0])
}

/**
 * All projects in which the generation has diverged. Reads one row per project, and one event for each
 * project that is behind.
 */
export async function listDiverged(db: Database, place: GenerationRef): Promise<DivergedProject[]> {
  return (await read(db, place, null)).rows.map(toDiverged)
}

/** Which live generations have diverged, one sentence each, for health reports. */
export async function describeDiverged(db: Database): Promise<string[]> {
  const { rows } = await sql<{ projection: string; projects: number }>`
    select live.projection, count(*) as projects
    from generations live
    join positions place on place.projection = live.projection and place.generation = live.generation
    left join journal_heads head on head.project_id = place.project_id
    where live.status = 'live' and ${isDiverged}
    group by live.projection order by live.projection`.execute(db)
  return rows.map(
    ({ projection, projects }) =>
      `DIVERGED: ${projection} has applied events that the journal does not have, in ${projects} project${projects === 1 ? '' : 's'}; its projector takes it back to the last event that both have`,
  )
}
