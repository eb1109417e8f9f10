import { DaybookError } from '@daybook/memory/errors'
import type { Database } from '@daybook/postgres/connect'
import type { Context } from '../context.ts'

/**
 * Call this first in a resolver that reaches beyond the caller's own project.
 * @returns the database, not bound to a project
 * @throws DaybookError FORBIDDEN
 */
export function requireAdmin({ admin }: Pick<Context, 'admin'>): Database {
  if (admin === null) throw forbidden()
  return admin
}

/** The error for a key that may not run the whole Daybook. */
export function forbidden(): DaybookError {
  return new DaybookError(
    'FORBIDDEN',
    'This needs a key that may run the whole Daybook: the daemon keeps one in <data folder>/api-key, a team sets it as DAYBOOK_DEFAULT_KEY.',
  )
}
