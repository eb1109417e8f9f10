import type { Database } from '@daybook/postgres/connect'
import type { Context } from '../context.ts'

/** Which operations a key may see and cancel. */
export interface OperationAccess {
  readonly db: Database
  /** The key's project, whose operations it sees; null: all, because the key may run the whole Daybook. */
  readonly projectId: string | null
}

/** What the request's key may do with operations. */
export function operationAccess({ admin, project }: Pick<Context, 'admin' | 'project'>): OperationAccess {
  return admin === null ? project : { db: admin, projectId: null }
}
