import { type Access, accessOfKey } from '@daybook/postgres/access/api-keys'
import type { Database } from '@daybook/postgres/connect'
import { LRUCache } from 'lru-cache'

/** Milliseconds for which a key's project is remembered: a revoked key works that much longer at most. */
const REMEMBERED_MS = 2_000

export interface Authenticate {
  /** Which project a request belongs to, by its `Authorization: Bearer <key>`. Null where the key opens none. */
  (authorization: string | null | undefined): Promise<Access | null>
  /** To be called where keys have come to open other projects. Other gateways go by the old ones for 2 s more. */
  forget(): void
}

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
