import { type Access, accessOfKey } from '@daybook/postgres/access/api-keys'
import type { Database } from '@daybook/postgres/connect'
import { LRUCache } from 'lru-cache'

/** How long a key's project is cached, in milliseconds. A revoked key works at most that much longer. */
const REMEMBERED_MS = 2_000

/** Finds out which project a key opens. */
export interface Authenticate {
  /** The project of a request, by its `Authorization: Bearer <key>`. Null if the key opens none. */
  (authorization: string | null | undefined): Promise<Access | null>
  /** Call this when keys now open other projects. Other gateways use their cache for up to 2 s more. */
  forget(): void
}

/** Creates an authenticator that caches keys for 2 s. */
export function createAuthenticate(db: Database): Authenticate {
  const known = new LRUCache<string, Access>({ max: 10_000, ttl: REMEMBERED_MS })
  const authenticate = async (authorization: string | null | undefined) => {
    const key = /^Bearer\s+(\S+)$/iu.exec(authorization ?? '')?.[1]
    if (key === undefined) return null
    const remembered = known.get(key)
    if (remembered !== undefined) return remembered
    const access = await accessOfKey(db, key)
    if (access !== null) known.set(key, access)
    return access
  }
  return Object.assign(authenticate, { forget: () => known.clear() })
}
