import { DaybookError } from '@daybook/memory/errors'
import type { Database } from '@daybook/postgres/connect'
import type { Context } from '../context.ts'

/**
 * Call this first in a resolver that reaches beyond the caller's own project. Its field is marked `DAYBOOK`
 * (`needs.ts`), so a key without that right does not come as far as this; it is the second lock.
 * @returns the database, not bound to a project
 * @throws DaybookError FORBIDDEN
 */
export function requireAdmin({ admin }: Pick<Context, 'admin'>): Database {
  if (admin === null) throw new DaybookError('FORBIDDEN', 'This needs a key that may run the whole Daybook.')
  return admin
}
