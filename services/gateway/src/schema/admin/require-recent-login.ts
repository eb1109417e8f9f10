import { wasJustOpened } from '@daybook/postgres/access/console-sessions'
import type { Context } from '../../context.ts'
import { OperationRefusedError } from './operation-refused.ts'

/** For how long after a login a session of the console may make keys, in milliseconds: a login link lasts half as long. */
const RECENT_MS = 10 * 60_000

/**
 * A key outlives the session that makes it. So whoever finds a browser that was left open must not get one out of it.
 * @throws OperationRefusedError REFUSED in a session that was opened longer ago
 */
export async function requireRecentLogin({ access, directory }: Context): Promise<void> {
  if (access.sessionId === undefined) return
  if (!(await wasJustOpened(directory, access.sessionId, RECENT_MS)))
    throw new OperationRefusedError(
      'REFUSED',
      'Keys are made only within 10 minutes of a login, because they outlive the session: log in again, by "daybook console" or with a key',
    )
}
