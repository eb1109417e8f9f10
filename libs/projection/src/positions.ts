import type { DatabaseTransaction, Queryable } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import { parkEvents } from './parked-events.ts'
import { PositionMoved, type Projection, type ProjectionBatch } from './projection.ts'

type Place = Pick<Projection, 'name' | 'generation'>

/** The last sequence that the generation has applied for the project; 0 before the first. */
export async function readPosition(db: Queryable, place: Place, projectId: string): Promise<number> {
  const row = await db
    .selectFrom('positions')
    .select('position')
    .where('projection', '=', place.name)
    .where('generation', '=', place.generation)
    .where('project_id', '=', projectId)
    .executeTakeFirst()
  return row?.position ?? 0
}

/**
 * Makes the project's position, at 0, where there is none yet. Before the transaction that locks it and not in it: an
 * insert waits for somebody else's of the same row that is not committed yet, however long that takes.
 */
export async function ensurePosition(db: Queryable, place: Place, projectId: string): Promise<void> {
  await db
    .insertInto('positions')
    .values({ projection: place.name, generation: place.generation, project_id: projectId, position: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/**
 * Locks the position, which must be there, and checks that it is still at `from`. Call it first in the transaction that applies the batch: two
 * replicas then take turns, and the slower one finds the position moving instead of applying a batch twice. It does not wait
 * for the other, which has the project in hand: there are more projects.
 * @throws PositionMoved
 */
export async function lockPosition(
  trx: DatabaseTransaction,
  place: Place,
  projectId: string,
  batch: Pick<ProjectionBatch, 'from'>,
): Promise<void> {
  const row = await trx
    .selectFrom('positions')
    .select('position')
    .where('projection', '=', place.name)
    .where('generation', '=', place.generation)
    .where('project_id', '=', projectId)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst()
  if (row?.position !== batch.from) throw new PositionMoved(place.name, batch.from)
}

/** Moves the position to the batch's end and records what was parked on the way. */
export async function savePosition(
  trx: DatabaseTransaction,
  place: Place,
  projectId: string,
  batch: Pick<ProjectionBatch, 'to' | 'parked'>,
): Promise<void> {
  await parkEvents(trx, place, projectId, batch.parked)
  await trx
    .updateTable('positions')
    .set({ position: batch.to, moved_at: sql`now()` })
    .where('projection', '=', place.name)
    .where('generation', '=', place.generation)
    .where('project_id', '=', projectId)
    .execute()
}

/** Sets the position of a project that nobody posts but the caller. */
export async function setPosition(
  trx: DatabaseTransaction,
  place: Place,
  projectId: string,
  position: number,
): Promise<void> {
  await trx
    .insertInto('positions')
    .values({ projection: place.name, generation: place.generation, project_id: projectId, position })
    .onConflict((conflict) =>
      conflict
        .columns(['projection', 'generation', 'project_id'])
        .doUpdateSet({ position, moved_at: sql`now()` }),
    )
    .execute()
}

/**
 * Locks the position until the transaction ends, waiting for whoever posts a batch just now.
 * @returns it; 0 where there is none
 */
export async function holdPosition(
  trx: DatabaseTransaction,
  place: Place,
  projectId: string,
): Promise<number> {
  const row = await trx
    .selectFrom('positions')
    .select('position')
    .where('projection', '=', place.name)
    .where('generation', '=', place.generation)
    .where('project_id', '=', projectId)
    .forUpdate()
    .executeTakeFirst()
  return row?.position ?? 0
}
