import { createHash, randomBytes } from 'node:crypto'
import { newId } from '@daybook/memory/id'
import type { Database } from '../connect.ts'

/** How every key begins, so that scanners find one that was leaked. */
const PREFIX = 'dbk_'

/** A fast hash is enough: a key has 256 random bits, so there is nothing to guess. */
function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** Makes a key for the project. Only its hash is stored: this is the one moment at which it can be read. */
export async function createApiKey(db: Database, projectId: string, name: string): Promise<string> {
  const key = PREFIX + randomBytes(32).toString('base64url')
  await db
    .insertInto('api_keys')
    .values({ id: newId(), project_id: projectId, key_hash: hashOf(key), name })
    .execute()
  return key
}

/** The project that a key opens; null for any other string. */
export async function projectOfKey(db: Database, key: string): Promise<string | null> {
  if (!key.startsWith(PREFIX)) return null
  const row = await db
    .selectFrom('api_keys')
    .select('project_id')
    .where('key_hash', '=', hashOf(key))
    .executeTakeFirst()
  return row?.project_id ?? null
}
