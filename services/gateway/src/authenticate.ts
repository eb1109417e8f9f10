import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DaybookError, NotFoundError } from '@daybook/memory/errors'
import { isUuid } from '@daybook/memory/id'
import {
  type Access,
  accessOfKey,
  createApiKey,
  ensureApiKey,
  findKey,
  type KeyRefusal,
} from '@daybook/postgres/access/api-keys'
import { findSession } from '@daybook/postgres/access/console-sessions'
import { ProjectDeletedError, readDeleted } from '@daybook/postgres/access/delete-project'
import { noteUses } from '@daybook/postgres/access/manage-keys'
import { ensureProject, findProject } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import type { Config } from '@daybook/runtime/config'
import type { Logger } from '@daybook/runtime/logger'
import { LRUCache } from 'lru-cache'
import { isToken, type OAuth } from './http/oauth.ts'
import { readHeader } from './http/request-context.ts'

/** How long a key's rights are cached, in milliseconds. A revoked key works at most that much longer. */
const REMEMBERED_MS = 2_000

/** What a request shows. */
export interface Credentials {
  /** `Bearer <key>`, or `Bearer <access token>` */
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
   * @throws DaybookError UNAUTHENTICATED if the key opens nothing; NotFoundError if it does not open the project; of a
   * token also what `OAuth.accessOf` throws
   */
  (credentials: Credentials): Promise<Access>
  /** Call this when keys now open other projects. Other gateways use their cache for up to 2 s more. */
  forget(): void
}

/**
 * Creates an authenticator that caches keys for 2 s and notes their uses.
 * @param sessionIdleMs after how long without a request a session of the console ends, in milliseconds
 * @param oauth null: no access tokens are taken
 */
export function createAuthenticate(
  db: Database,
  uses: KeyUses,
  sessionIdleMs: number,
  oauth: OAuth | null,
): Authenticate {
  const known = new LRUCache<string, Access>({ max: 10_000, ttl: REMEMBERED_MS })

  const open = async ({ key, session }: Credential): Promise<Access> => {
    if (key !== null && oauth !== null && isToken(key)) return oauth.accessOf(key)
    const found = key === null ? await findSession(db, session, sessionIdleMs) : await findKey(db, key)
    if ('refusal' in found) throw new DaybookError('UNAUTHENTICATED', REFUSALS[found.refusal])
    return found.access
  }
  const look = async (shown: Credential, project: string | null): Promise<Access> => {
    const access = await open(shown)
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
    if (access.tokenEndsAt === undefined) uses.note(access.keyId)
    return access
  }
  return Object.assign(authenticate, { forget: () => known.clear() })
}

/** What a request shows to be let in: a key, or a session's token. */
type Credential =
  | { readonly key: string; readonly session: null }
  | { readonly key: null; readonly session: string }

/** @throws DaybookError UNAUTHENTICATED */
function shownIn({ authorization, session }: Credentials): Credential {
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

/** The key that opens the project `default` and may run the whole Daybook. */
interface DefaultKey {
  readonly key: string
  /** Where a person finds it: `in .daybook/api-key`, or the setting it came from. */
  readonly place: string
}

/**
 * Provides the key of the project `default`. It is `DAYBOOK_DEFAULT_KEY`, which several gateways can share;
 * else the key in `<data folder>/api-key`, made at the first start with mode 0600. If the database does not
 * know the key in that file (the folder was used with another database), it is replaced.
 * @param db the owner's handle: the application's role may not create keys
 */
export async function ensureDefaultKey(db: Database, { dataDir, defaultKey }: Config): Promise<DefaultKey> {
  if (defaultKey !== undefined) {
    await ensureApiKey(db, await ensureProject(db, 'default'), 'default', defaultKey, { admin: true })
    return { key: defaultKey, place: 'the one of DAYBOOK_DEFAULT_KEY' }
  }
  const path = join(dataDir, 'api-key')
  const place = `in ${path}`
  if (existsSync(path)) {
    const key = readFileSync(path, 'utf8').trim()
    if ((await accessOfKey(db, key)) !== null) return { key, place }
  }
  const key = await createApiKey(db, await ensureProject(db, 'default'), 'default', { admin: true })
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  writeFileSync(path, `${key}\n`, { mode: 0o600 })
  return { key, place }
}

/** The least time between two notes of one key's use, in milliseconds. */
const NOTED_EVERY_MS = 60_000

/** How long a use waits to be written, with those of other keys, in milliseconds. */
const WRITE_AFTER_MS = 2_000

/** Notes when keys were last used. */
interface KeyUses {
  /** Returns at once; the use is written later. At most one a minute is, for each key. */
  note(keyId: string): void
  /** Writes what waits. */
  stop(): Promise<void>
}

/** @param writeAfterMs how long a use waits, for tests */
export function createKeyUses(db: Database, logger: Logger, writeAfterMs = WRITE_AFTER_MS): KeyUses {
  const noted = new Map<string, number>()
  const waiting = new Map<string, Date>()
  let timer: NodeJS.Timeout | null = null
  let writing = Promise.resolve()

  const write = async (): Promise<void> => {
    timer = null
    const uses = new Map(waiting)
    waiting.clear()
    if (uses.size === 0) return
    await noteUses(db, uses).catch((error: unknown) =>
      logger.warn({ error }, 'it could not be written when keys were last used'),
    )
  }
  return {
    note(keyId) {
      const now = Date.now()
      if ((noted.get(keyId) ?? 0) > now - NOTED_EVERY_MS) return
      noted.set(keyId, now)
      waiting.set(keyId, new Date(now))
      if (timer !== null) return
      timer = setTimeout(() => {
        writing = writing.then(write)
      }, writeAfterMs)
      timer.unref()
    },
    async stop() {
      if (timer !== null) clearTimeout(timer)
      await writing
      await write()
    },
  }
}
