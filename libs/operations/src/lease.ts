import type { Database } from '@daybook/postgres/connect'
import { storableError } from '@daybook/postgres/errors'
import { isLeaseOver, type LeaseOwner, leasedTo, leaseEnd } from '@daybook/postgres/lease'
import type { Tables } from '@daybook/postgres/tables'
import { type Selectable, sql } from 'kysely'
import { type JsonObject, KEPT_OPTIONS, type Operation, toOperation } from './operation.ts'
import type { OperationType, ResultOf } from './operation-types.ts'

/** An operation that this process works on now. */
export interface LeasedOperation<Type extends OperationType = OperationType> {
  readonly operation: Operation<Type>
  /** Where the previous worker got to; null at the beginning. */
  readonly checkpoint: JsonObject | null
  /** Whether it was taken from a worker that did not release it: dead, or only stalled. */
  readonly takenOver: boolean
}

/**
 * Takes the oldest operation that waits, or whose process has died.
 * @param projections those that this process can work on; it can always work on operations without a
 * projection
 */
export async function leaseOperation(
  db: Database,
  owner: LeaseOwner,
  projections: readonly string[],
): Promise<LeasedOperation | null> {
  const { rows } = await sql<Selectable<Tables['operations']> & { taken_over: boolean }>`
    update operations op set status = 'running', ${leasedTo(owner)}, error = null,
      started_at = coalesce(started_at, clock_timestamp()), updated_at = clock_timestamp()
    from (
      select id, lease_owner is not null as taken_over from operations
      where (status = 'queued' or (status = 'running' and ${isLeaseOver(sql`leased_until`)}))
        and (projection is null or projection = any(${projections}::text[]))
      order by created_at limit 1 for update skip locked) found
    where op.id = found.id
    returning op.*, found.taken_over`.execute(db)
  const row = rows[0]
  return row === undefined
    ? null
    : {
        operation: toOperation(row),
        checkpoint: row.checkpoint,
        takenOver: row.taken_over,
      }
}

/** What a worker must know about its operation. `null`: this process no longer has the lease. */
export type LeaseState = { readonly cancelRequested: boolean } | null

/** Renews the lease. */
export async function renewLease(
  db: Database,
  { name, leaseMs }: LeaseOwner,
  id: string,
): Promise<LeaseState> {
  const { rows } = await sql<{ cancel_requested: boolean }>`
    update operations set leased_until = ${leaseEnd(leaseMs)}
    where id = ${id} and lease_owner = ${name} and status = 'running'
    returning cancel_requested`.execute(db)
  return rows[0] === undefined ? null : { cancelRequested: rows[0].cancel_requested }
}

/** Progress to save; absent fields stay as they are. */
export interface ProgressMade {
  readonly phase?: string
  readonly done?: number
  readonly total?: number | null
  readonly checkpoint?: JsonObject
}

/** Saves progress, and renews the lease. */
export async function saveProgress(
  db: Database,
  { name, leaseMs }: LeaseOwner,
  id: string,
  { phase, done, total, checkpoint }: ProgressMade,
): Promise<LeaseState> {
  const row = await db
    .updateTable('operations')
    .set({
      leased_until: leaseEnd(leaseMs),
      updated_at: sql`clock_timestamp()`,
      ...(phase !== undefined && { phase }),
      ...(done !== undefined && { done }),
      ...(total !== undefined && { total }),
      ...(checkpoint !== undefined && { checkpoint: JSON.stringify(checkpoint) }),
    })
    .where('id', '=', id)
    .where('lease_owner', '=', name)
    .where('status', '=', 'running')
    .returning('cancel_requested')
    .executeTakeFirst()
  return row === undefined ? null : { cancelRequested: row.cancel_requested }
}

/** How an operation ended. */
export type End =
  | { readonly status: 'succeeded'; readonly result: ResultOf<OperationType> }
  | { readonly status: 'failed'; readonly error: string }
  | { readonly status: 'cancelled' }

/** Saves the end. @returns false if another process has the operation by now */
export async function finishOperation(
  db: Database,
  { name }: LeaseOwner,
  id: string,
  end: End,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('operations')
    .set({
      status: end.status,
      phase: end.status,
      options: KEPT_OPTIONS,
      result: end.status === 'succeeded' ? JSON.stringify(end.result) : null,
      error: end.status === 'failed' ? storableError(end.error) : null,
      checkpoint: null,
      lease_owner: null,
      leased_until: null,
      updated_at: sql`clock_timestamp()`,
      finished_at: sql`clock_timestamp()`,
    })
    .where('id', '=', id)
    .where('lease_owner', '=', name)
    .where('status', '=', 'running')
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/**
 * Releases the operation as it is; after a while any process may take it.
 * @param waitingFor a sentence, if a part is unavailable
 */
export async function releaseOperation(
  db: Database,
  { name }: LeaseOwner,
  id: string,
  { afterMs, waitingFor }: { afterMs: number; waitingFor: string | null },
): Promise<void> {
  await db
    .updateTable('operations')
    .set({
      lease_owner: null,
      leased_until: leaseEnd(afterMs),
      error: waitingFor === null ? null : storableError(waitingFor),
    })
    .where('id', '=', id)
    .where('lease_owner', '=', name)
    .where('status', '=', 'running')
    .execute()
}
