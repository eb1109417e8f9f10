import { DaybookError } from '@daybook/memory/errors'
import type { Context } from '../context.ts'

/**
 * To be called first by whatever concerns more than the caller's own project.
 * @throws DaybookError FORBIDDEN
 */
export function requireAdmin({ admin }: Pick<Context, 'admin'>): void {
  if (!admin)
    throw new DaybookError(
      'FORBIDDEN',
      'This needs a key that may run the whole Daybook: the daemon keeps one in <data folder>/api-key, a team sets it as DAYBOOK_DEFAULT_KEY.',
    )
}
