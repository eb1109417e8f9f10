import { DaybookError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import type { DeletedProject } from '@daybook/postgres/access/delete-project'
import type { Database } from '@daybook/postgres/connect'
import { type Operation, toOperation } from './operation.ts'
import type { OperationType, OptionsOf } from './operation-types.ts'

/** An operation to queue. */
export type OperationRequest<Type extends OperationType = OperationType> = {
  readonly [Each in Type]: RequestOf<Each>
}[Type]

interface RequestOf<Type extends OperationType> {
  readonly type: Type
  readonly projection: string | null
  /** See `Operation`. Default null. */
  readonly projectId?: string | null
  readonly options: OptionsOf<Type>
  /** Who asks, for the record. */
  readonly requestedBy: string | null
}

/**
 * Rebuilds and repairs write what verifications read, so each projection has one lane for all of them. What
 * belongs to a project waits for nothing of another project.
 */
const laneOf = ({ type, projection, projectId = null }: OperationRequest) =>
  projection ?? (projectId === null ? type : `${type} ${projectId}`)

/** The queued or running operation of a lane; null if there is none. */
export async function operationOn(db: Database, lane: string) {
  const row = await db
    .selectFrom('operations')
    .select(['id', 'type', 'status'])
    .where('lane', '=', lane)
    .where('status', 'in', ['queued', 'running'])
    .executeTakeFirst()
  return row ?? null
}

/**
 * Queues an operation. A process that can do it takes it within a second.
 * @throws DaybookError BUSY, naming the other operation, if the lane is taken
 */
export async function requestOperation(db: Database, request: OperationRequest): Promise<Operation> {
  const { type, projection, projectId = null, options, requestedBy } = request
  const lane = laneOf(request)
  const on = projectId === null ? ` on ${lane}` : ' in this project'
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const row = await db
      .insertInto('operations')
      .values({
        id: newId(),
        type,
        lane,
        projection,
        project_id: projectId,
        options: JSON.stringify(options),
        status: 'queued',
        requested_by: requestedBy,
      })
      .onConflict((conflict) => conflict.doNothing())
      .returningAll()
      .executeTakeFirst()
    if (row !== undefined) return toOperation(row)
    const other = await operationOn(db, lane)
    if (other !== null)
      throw new DaybookError(
        'BUSY',
        `The operation ${other.id} (${other.type}, ${other.status}) is at work${on}: wait for it, or cancel it`,
      )
    // The other one ended in between: try again.
  }
  throw new DaybookError('BUSY', `Other operations are at work${on}: try again`)
}

/** The last operation that removes, or has removed, what a deleted project held; null if there was none yet. */
export async function removalOf(db: Database, projectId: string): Promise<Operation | null> {
  const row = await db
    .selectFrom('operations')
    .selectAll()
    .where('type', '=', 'delete-project')
    .where('project_id', '=', projectId)
    .orderBy('created_at', 'desc')
    .limit(1)
    .executeTakeFirst()
  return row === undefined ? null : toOperation(row)
}

/**
 * Asks for the removal of what a deleted project held.
 * @throws DaybookError BUSY if it is under way
 */
export const requestRemoval = (db: Database, { id, deletedBy }: DeletedProject): Promise<Operation> =>
  requestOperation(db, {
    type: 'delete-project',
    projection: null,
    projectId: id,
    options: { projectId: id },
    requestedBy: deletedBy,
  })
