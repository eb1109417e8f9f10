import type { DeletedProject } from '@daybook/postgres/access/delete-project'
import type { Database } from '@daybook/postgres/connect'
import { type Operation, toOperation } from './operation.ts'
import { requestOperation } from './request.ts'

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
