import type { Database } from '@daybook/postgres/connect'
import type { Context } from '../context.ts'

/** Which operations a key may see and cancel. */
export interface OperationAccess {
  readonly db: Database
  /** The key's project, whose operations it sees; null: all, because the key may run the whole Daybook. */
  readonly projectId: string | null
}

/** What the request's key may do with operations. */
export function operationAccess(context: Pick<Context, 'admin' | 'project'>): OperationAccess {
  // Who runs the whole Daybook need not name a project.
  return context.admin === null ? context.project : { db: context.admin, projectId: null }
}
