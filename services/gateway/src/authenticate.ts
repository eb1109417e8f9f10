import { DaybookError, NotFoundError } from '@daybook/memory/errors'
import { isUuid } from '@daybook/memory/id'
import { type Access, findKey, type KeyRefusal } from '@daybook/postgres/access/api-keys'
import { findSession } from '@daybook/postgres/access/console-sessions'
import { ProjectDeletedError, readDeleted } from '@daybook/postgres/access/delete-project'
import { findProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import { LRUCache } from 'lru-cache'
import { readHeader } from './http/read-header.ts'
import type { KeyUses } from './key-uses.ts'

/** How long a key's rights are cached, in milliseconds. A revoked key works at most that much longer. */
const REMEMBERED_MS = 2_000

/** What a request shows. */
export interface Credentials {
  /** `Bearer <key>` */
  readonly authorization: string | null | undefined
  /** The header `X-Daybook-Project`: the name or id of the project that the request is about. */
  readonly project: string | null | undefined
  /** The token of a session of the console, which `console/session-cookie.ts` reads. `authorization` goes before it. */
  readonly session?: string | null
}

/** Finds out what a key opens. */
export interface Authenticate {
  /**
   * What a request may do, and in which project.
   * @throws DaybookError UNAUTHENTICATED if the key opens nothing; NotFoundError if it does not open the project
   */
  (credentials: Credentials): Promise<Access>
  /** Call this when keys now open other projects. Other gateways use their cache for up to 2 s more. */
  forget(): void
}

/**
 * Creates an authenticator that caches keys for 2 s and notes their uses.
 * @param sessionIdleMs after how long without a request a session of the console ends, in milliseconds
 */
export function createAuthenticate(db: Database, uses: KeyUses, sessionIdleMs: number): Authenticate {
  const known = new LRUCache<string, Access>({ max: 10_000, ttl: REMEMBERED_MS })

  const look = async ({ key, session }: Shown, project: string | null): Promise<Access> => {
    const found = key === null ? await findSession(db, session, sessionIdleMs) : await findKey(db, key)
    if ('refusal' in found) throw new DaybookError('UNAUTHENTICATED', REFUSALS[found.refusal])
    const { access } = found
    if (project === null) return access
    const named = await findProject(db, project, access.projects)
    if (
      named === null &&
      access.projects === null &&
      isUuid(project) &&
      (await readDeleted(db, project)) !== null
    )
      throw new ProjectDeletedError(project)
    if (named === null) throw new NotFoundError(`The project "${project.slice(0, 64)}"`, 'Daybook')
    return { ...access, projectId: named.id }
  }
  const authenticate = async (credentials: Credentials): Promise<Access> => {
    const shown = shownIn(credentials)
    const { project: given } = credentials
    const project = given == null || given === '' ? null : readHeader(given)
    // Neither a key nor a token has white space.
    const name = `${shown.key === null ? 'session' : 'key'} ${shown.key ?? shown.session} ${project ?? ''}`
    const remembered = known.get(name)
    const access = remembered ?? (await look(shown, project))
    if (remembered === undefined) known.set(name, access)
    uses.note(access.keyId)
    return access
  }
  return Object.assign(authenticate, { forget: () => known.clear() })
}

/** What a request shows to be let in: a key, or a session's token. */
type Shown =
  | { readonly key: string; readonly session: null }
  | { readonly key: null; readonly session: string }

/** @throws DaybookError UNAUTHENTICATED */
function shownIn({ authorization, session }: Credentials): Shown {
  const key = /^Bearer\s+(\S+)$/iu.exec(authorization ?? '')?.[1]
  if (key !== undefined) return { key, session: null }
  if (authorization == null && session != null) return { key: null, session }
  throw new DaybookError('UNAUTHENTICATED', REFUSALS.unknown)
}

/** Why a key or session opens nothing, for its holder. */
export const REFUSALS: Readonly<Record<KeyRefusal | 'session over', string>> = {
  unknown:
    'A valid API key is needed: send it as "Authorization: Bearer <key>". The daemon keeps the first one in <data folder>/api-key',
  mistyped:
    'This API key is mistyped: its last characters, a checksum, do not fit the rest. Copy it again, whole',
  revoked: 'This API key was revoked: ask whoever administers Daybook for another one',
  'project deleted':
    'The project that this API key opened was deleted: ask whoever administers Daybook for a key of another one',
  expired: 'This API key has expired: ask whoever administers Daybook for another one',
  'session over': 'This session of the console is over: log in again',
}
