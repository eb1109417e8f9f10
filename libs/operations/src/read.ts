import { NotFoundError } from '@daybook/memory/errors'
import type { Queryable } from '@daybook/postgres/connect'
import { isLeaseOver } from '@daybook/postgres/lease'
import { type SqlBool, sql } from 'kysely'
import { KEPT_OPTIONS, type Operation, toOperation } from './operation.ts'
import type { OperationType } from './operation-types.ts'

/**
 * The operation with that id; null if there is none.
 * @param projectId only if it belongs to this project; null: whatever it belongs to
 */
export async function readOperation(
  db: Queryable,
  id: string,
  projectId: string | null = null,
): Promise<Operation | null> {
  const row = await db
    .selectFrom('operations')
    .selectAll()
    .where('id', '=', id)
    .$if(projectId !== null, (query) => query.where('project_id', '=', projectId))
    .executeTakeFirst()
  return row === undefined ? null : toOperation(row)
}

interface ListOptions {
  readonly first: number
  /** Only those that are queued or running. Default: all. */
  readonly active?: boolean
  /** Only those that belong to this project. Default: all. */
  readonly projectId?: string | null
}

/** Operations, the newest first. */
export async function listOperations(
  db: Queryable,
  { first, active = false, projectId = null }: ListOptions,
): Promise<Operation[]> {
  const rows = await db
    .selectFrom('operations')
    .selectAll()
    .$if(active, (query) => query.where('status', 'in', ['queued', 'running']))
    .$if(projectId !== null, (query) => query.where('project_id', '=', projectId))
    .orderBy('created_at', 'desc')
    .limit(first)
    .execute()
  return rows.map(toOperation)
}

/** The successful operations of a type on a projection, the newest first. */
export async function listSucceeded<Type extends OperationType>(
  db: Queryable,
  type: Type,
  projection: string | null,
  limit: number,
): Promise<Operation<Type>[]> {
  const rows = await db
    .selectFrom('operations')
    .selectAll()
    .where('type', '=', type)
    .where('projection', 'is not distinct from', projection)
    .where('status', '=', 'succeeded')
    .orderBy('created_at', 'desc')
    .limit(limit)
    .execute()
  return rows.map((row) => toOperation(row) as Operation<Type>)
}

/** The queued or running operation of a type in a project; null if there is none. */
export async function operationOf(
  db: Queryable,
  type: OperationType,
  projectId: string,
): Promise<Operation | null> {
  const row = await db
    .selectFrom('operations')
    .selectAll()
    .where('type', '=', type)
    .where('project_id', '=', projectId)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst()
  return row === undefined ? null : toOperation(row)
}

/**
 * Operations that nobody works on although they have waited for `waitedMs` milliseconds: queued ones while no
 * worker is busy, and running ones whose process has died.
 */
export async function listUntaken(db: Queryable, waitedMs: number): Promise<Operation[]> {
  const before = sql<string>`clock_timestamp() - make_interval(secs => ${waitedMs / 1_000}::float8)`
  const rows = await db
    .selectFrom('operations')
    .selectAll()
    .where((eb) =>
      eb.or([
        eb.and([
          eb('status', '=', 'queued'),
          eb('created_at', '<', before),
          // A process works on one at a time, so waiting beside a leased one is normal.
          eb.not(
            eb.exists(
              eb
                .selectFrom('operations as held')
                .select('held.id')
                .where('held.status', '=', 'running')
                .where(sql<SqlBool>`not ${isLeaseOver(sql`held.leased_until`)}`),
            ),
          ),
        ]),
        eb.and([eb('status', '=', 'running'), eb('leased_until', '<', before)]),
      ]),
    )
    .orderBy('created_at')
    .execute()
  return rows.map(toOperation)
}

/**
 * Cancels an operation. A queued one ends at once, a running one when its process has cleaned up. One that
 * has ended stays as it is.
 * @param projectId as in `readOperation`
 * @throws NotFoundError
 */
export async function cancelOperation(
  db: Queryable,
  id: string,
  projectId: string | null = null,
): Promise<Operation> {
  const there = await readOperation(db, id, projectId)
  if (there === null) throw new NotFoundError(`The operation ${id}`, 'Daybook')
  await db
    .updateTable('operations')
    .set({ cancel_requested: true })
    .where('id', '=', id)
    .where('status', '=', 'running')
    .execute()
  await db
    .updateTable('operations')
    .set({
      status: 'cancelled',
      cancel_requested: true,
      phase: 'cancelled',
      options: KEPT_OPTIONS,
      finished_at: new Date(),
    })
    .where('id', '=', id)
    .where('status', '=', 'queued')
    .execute()
  return (await readOperation(db, id, projectId)) ?? there
}
