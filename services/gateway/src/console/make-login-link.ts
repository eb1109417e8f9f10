import { DaybookError } from '@daybook/memory/errors'
import type { Access } from '@daybook/postgres/access/api-keys'
import { createLoginToken } from '@daybook/postgres/access/console-sessions'
import type { Database } from '@daybook/postgres/connect'

/** How long a link works, in milliseconds. */
const LINK_MS = 5 * 60_000

/** A link that logs a browser in, once. */
export interface LoginLink {
  /** `/console/login#token=…`. Browsers send the fragment to no server, so that it is in no log and no referrer. */
  readonly path: string
  /** RFC 3339. */
  readonly expiresAt: string
}

/** @throws DaybookError FORBIDDEN for a session, UNAUTHENTICATED if the key has just ended */
export async function makeLoginLink(db: Database, access: Access): Promise<LoginLink> {
  // Else a session could renew itself for ever, and its end would mean nothing.
  if (access.sessionId !== undefined)
    throw new DaybookError(
      'FORBIDDEN',
      '"createLoginLink" needs the key itself, and this is a session of the console: use "daybook console"',
    )
  const made = await createLoginToken(db, access, LINK_MS)
  if (made === null) throw new DaybookError('UNAUTHENTICATED', 'This API key has just ended: use another one')
  return { path: `/console/login#token=${made.token}`, expiresAt: made.expiresAt }
}
