import { JournalDiverged } from '@daybook/journal/chain/journal-diverged'
import { noteCheckpoint } from '@daybook/journal/read/checkpoints'
import { CHAIN_START } from '@daybook/memory/event-hash'
import type { JournalCursor } from '@daybook/memory/events'
import type { DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import { parkEvents, unparkMemories } from '../apply/parked-events.ts'
import { type GenerationRef, ofGeneration } from '../generations/generation-ref.ts'
import { PositionMoved, type ProjectionBatch } from '../projection.ts'

const START: JournalCursor = { sequence: 0, hash: CHAIN_START }

/** A generation's row of a project, in a condition on `positions`. */
const ofProject = (place: GenerationRef, projectId: string) =>
  sql<SqlBool>`${ofGeneration(place)} and project_id = ${projectId}`

const toCursor = ({ position, hash }: { position: number; hash: Buffer }): JournalCursor => ({
  sequence: position,
  hash: hash.toString('hex'),
})

const selectPlace = (db: Queryable, place: GenerationRef, projectId: string) =>
  db.selectFrom('positions').select(['position', 'hash']).where(ofProject(place, projectId))

/** Where the generation has come to in the project's journal; its start before the first event. */
export async function readPlace(
  db: Queryable,
  place: GenerationRef,
  projectId: string,
): Promise<JournalCursor> {
  const row = await selectPlace(db, place, projectId).executeTakeFirst()
  return row === undefined ? START : toCursor(row)
}

/** The last sequence that the generation has applied for the project; 0 before the first. */
export async function readPosition(db: Queryable, place: GenerationRef, projectId: string): Promise<number> {
  return (await readPlace(db, place, projectId)).sequence
}

/**
 * Makes the project's position, at 0, where there is none yet. Before the transaction that locks it and not in it: an
 * insert waits for somebody else's of the same row that is not committed yet, however long that takes.
 */
export async function ensurePosition(db: Queryable, place: GenerationRef, projectId: string): Promise<void> {
  await db
    .insertInto('positions')
    .values({ projection: place.name, generation: place.generation, project_id: projectId, position: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The projects of which the generation has applied anything. */
export async function appliedProjects(db: Queryable, place: GenerationRef): Promise<string[]> {
  const rows = await db
    .selectFrom('positions')
    .select('project_id')
    .where(ofGeneration(place))
    .where('position', '>', 0)
    .execute()
  return rows.map((row) => row.project_id)
}

/** Whether the project's journal has the event of a place. */
export const isInJournal = (projectId: string, { sequence, hash }: JournalCursor): RawBuilder<boolean> =>
  sql<boolean>`exists (
    select from events where project_id = ${projectId} and sequence = ${sequence} and hash = decode(${hash}, 'hex'))`

/**
 * Locks the position, which must be there, and checks that it is still at `from`. Call it first in the transaction that applies the batch: two
 * replicas then take turns, and the slower one finds the position moving instead of applying a batch twice. It does not wait
 * for the other, which has the project in hand: there are more projects.
 *
 * What came over the bus may be of a history that the journal has lost since. That it has the batch's end, and so all of it, is
 * looked at in the same statement: nothing is applied that it does not keep.
 *
 * @throws PositionMoved, JournalDiverged
 */
export async function lockPosition(
  trx: DatabaseTransaction,
  place: GenerationRef,
  projectId: string,
  { from, to }: Pick<ProjectionBatch, 'from' | 'to'>,
): Promise<void> {
  const row = await selectPlace(trx, place, projectId)
    .select(isInJournal(projectId, to).as('known'))
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (row?.position !== from.sequence || row.hash.toString('hex') !== from.hash)
    throw new PositionMoved(place.name, from.sequence)
  if (!row.known) throw new JournalDiverged(to)
}

/** Moves the position to the batch's end and records what was parked on the way. Of what was erased nothing waits any more. */
export async function savePosition(
  trx: DatabaseTransaction,
  place: GenerationRef,
  projectId: string,
  { to, parked, erased }: Pick<ProjectionBatch, 'to' | 'parked' | 'erased'>,
): Promise<void> {
  if (erased.length > 0) await unparkMemories(trx, place, projectId, erased)
  await parkEvents(trx, place, projectId, parked)
  await sql`
    with moved as (
      update positions set position = ${to.sequence}, hash = decode(${to.hash}, 'hex'), moved_at = now()
      where ${ofProject(place, projectId)} returning 1
    )
    ${noteCheckpoint(place, projectId, to)}`.execute(trx)
}

/** Sets the position of a project that nobody writes but the caller. */
export async function setPosition(
  trx: DatabaseTransaction,
  place: GenerationRef,
  projectId: string,
  to: JournalCursor,
): Promise<void> {
  await sql`
    with moved as (
      insert into positions (projection, generation, project_id, position, hash)
      values (${place.name}, ${place.generation}, ${projectId}, ${to.sequence}, decode(${to.hash}, 'hex'))
      on conflict (projection, generation, project_id) do update
        set position = excluded.position, hash = excluded.hash, moved_at = now()
      returning 1
    )
    ${noteCheckpoint(place, projectId, to)}`.execute(trx)
}

/**
 * Locks the position until the transaction ends, waiting for whoever writes a batch just now.
 * @returns it; the journal's start where there is none
 */
export async function holdPosition(
  trx: DatabaseTransaction,
  place: GenerationRef,
  projectId: string,
): Promise<JournalCursor> {
  const row = await selectPlace(trx, place, projectId).forUpdate().executeTakeFirst()
  return row === undefined ? START : toCursor(row)
}
