import { forgetCheckpoints, lastCommon } from '@daybook/journal/read/checkpoints'
import { readCheckedEnd } from '@daybook/journal/read/read'
import { DaybookError } from '@daybook/memory/errors'
import { CHAIN_START } from '@daybook/memory/event-hash'
import type { JournalCursor } from '@daybook/memory/events'
import type { Database, DatabaseTransaction } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Logger } from '@daybook/runtime/logger'
import { type RawBuilder, sql } from 'kysely'
import type { GenerationRef } from '../generations/generations.ts'
import type { Projection } from '../projection.ts'

/**
 * A position that the journal does not have: it lies beyond the journal's end, or the journal has another
 * event there.
 */
interface Divergence {
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

/**
 * Takes a diverged projection back to the last cursor that it has passed and its journal still has. From
 * there the projection goes on as usual. If no such cursor is known, everything is rewritten from the beginning. In a project
 * that follows a home a divergence is no accident, and is not logged as one.
 *
 * Refuses if the project's journal is empty or lacks the event at its own end. Such a journal was not
 * shortened by a failover but damaged, and the projection may hold the last copy of its content. The
 * projection then stays diverged until the journal is restored.
 *
 * @param logger null if this divergence was logged before
 * @throws PositionMoved if another replica is working on the project; DaybookError CORRUPT_JOURNAL
 */
export async function heal(
  scope: ProjectScope,
  projection: Projection,
  position: JournalCursor,
  logger: Logger | null,
): Promise<void> {
  const { isSound, isCopy, ...head } = await readCheckedEnd(scope)
  const common = await lastCommon(scope, projection, Math.min(position.sequence, head.sequence))
  const about = {
    projection: projection.name,
    generation: projection.generation,
    projectId: scope.projectId,
    position,
    head,
    common,
  }
  const damaged = head.sequence === 0 ? await isKnown(scope) : !isSound
  if (damaged) {
    const message = `DIVERGED: the projection has applied ${position.sequence} events of a project whose journal ${head.sequence === 0 ? 'is empty' : 'lacks the event at its own end'}. It is left as it is: restore the journal from a backup`
    logger?.error(about, message)
    throw new DaybookError('CORRUPT_JOURNAL', message)
  }
  // A branch's events are replaced each time that its home's arrive.
  if (!isCopy)
    logger?.error(
      about,
      'DIVERGED: the projection has applied events that the journal does not have. It goes back to the last event that both have. Find out what happened to the database',
    )
  await projection.rewind(scope, { from: position, to: common })
  logger?.[isCopy ? 'debug' : 'warn'](
    about,
    'the projection is back at a position that its journal has, and goes on from there',
  )
}

/** Whether the project exists. One that was created in the lost moments is gone together with its journal. */
async function isKnown({ db, projectId }: ProjectScope): Promise<boolean> {
  const row = await db.selectFrom('projects').select('id').where('id', '=', projectId).executeTakeFirst()
  return row !== undefined
}

/**
 * Takes a position back to a cursor that the journal has, and deletes the parked events and checkpoints after
 * it. This is the last step of a rewind, in the transaction that has made sure that the projection holds
 * nothing later.
 */
export async function rewindPosition(
  trx: DatabaseTransaction,
  { name, generation }: Pick<Projection, 'name' | 'generation'>,
  projectId: string,
  { sequence, hash }: JournalCursor,
): Promise<void> {
  await trx
    .deleteFrom('parked_events')
    .where('projection', '=', name)
    .where('generation', '=', generation)
    .where('project_id', '=', projectId)
    .where('sequence', '>', sequence)
    .execute()
  await forgetCheckpoints(trx, { name, generation }, projectId, sequence)
  await sql`
    update positions set position = ${sequence}, hash = decode(${hash}, 'hex'), moved_at = now()
    where projection = ${name} and generation = ${generation} and project_id = ${projectId}`.execute(trx)
}
