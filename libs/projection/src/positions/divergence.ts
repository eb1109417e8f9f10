import { CHAIN_START } from '@daybook/memory/event-hash'
import type { JournalCursor } from '@daybook/memory/events'
import type { Database } from '@daybook/postgres/connect'
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
  readonly position: number
  readonly hash: string
  readonly head_sequence: number
  readonly head_hash: string
}

interface PlaceRow {
  readonly position: number
  readonly hash: string
  readonly is_copy: boolean
  readonly replaced: boolean
}

/** A position. */
export interface SoundPlace extends JournalCursor {
  /** Whether the project follows a home, so that the journal may lose the position in good order. */
  readonly isCopy: boolean
}

/** Reads the divergence of a generation in a project. @returns null if the journal has the position */
export async function readDivergence(
  { db, projectId }: ProjectScope,
  place: GenerationRef,
): Promise<Divergence | null> {
  const { rows } = await sql<Row>`
    select place.position, encode(place.hash, 'hex') as hash,
      coalesce(head.sequence, 0) as head_sequence, encode(coalesce(head.hash, ${ZEROS}), 'hex') as head_hash
    from positions place left join journal_heads head on head.project_id = place.project_id
    where place.projection = ${place.name} and place.generation = ${place.generation}
      and place.project_id = ${projectId} and ${isDiverged}`.execute(db)
  const [row] = rows
  if (row === undefined) return null
  return {
    position: { sequence: row.position, hash: row.hash },
    head: { sequence: row.head_sequence, hash: row.head_hash },
  }
}

/**
 * The generation's position in a project. In a project that follows a home, null while the journal does not have it: the home's
 * events have taken the place of a branch's, and the projection has not gone back to before them yet. Elsewhere a journal that
 * lost its end is an accident, and what the projection holds may be the last copy.
 */
export async function readSoundPlace(
  { db, projectId }: ProjectScope,
  place: GenerationRef,
): Promise<SoundPlace | null> {
  const { rows } = await sql<PlaceRow>`
    select place.position, encode(place.hash, 'hex') as hash, coalesce(head.followed, false) as is_copy,
      coalesce(head.followed, false) and ${isDiverged} as replaced
    from positions place left join journal_heads head on head.project_id = place.project_id
    where place.projection = ${place.name} and place.generation = ${place.generation}
      and place.project_id = ${projectId}`.execute(db)
  const [row] = rows
  if (row === undefined) return { sequence: 0, hash: CHAIN_START, isCopy: false }
  return row.replaced ? null : { sequence: row.position, hash: row.hash, isCopy: row.is_copy }
}

/**
 * Which live generations have diverged, one sentence each, for health reports. Those of projects that follow a home go back
 * all the time, with their branches.
 */
export async function describeDiverged(db: Database): Promise<string[]> {
  const { rows } = await sql<{ projection: string; projects: number }>`
    select live.projection, count(*) as projects
    from generations live
    join positions place on place.projection = live.projection and place.generation = live.generation
    left join journal_heads head on head.project_id = place.project_id
    where live.status = 'live' and not coalesce(head.followed, false) and ${isDiverged}
    group by live.projection order by live.projection`.execute(db)
  return rows.map(
    ({ projection, projects }) =>
      `DIVERGED: ${projection} has applied events that the journal does not have, in ${projects} project${projects === 1 ? '' : 's'}; its projector takes it back to the last event that both have`,
  )
}
