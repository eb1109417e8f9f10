import { createHash, randomBytes } from 'node:crypto'
import { DaybookError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import { type SqlBool, sql } from 'kysely'
import type { Database, Queryable } from '../connect.ts'

/** How every key begins, so that scanners find one that was leaked. */
const PREFIX = 'dbk_'

/** A fast hash is enough: a key has 256 random bits, so there is nothing to guess. */
function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** What a key may do besides using its project. */
export interface KeyRights {
  /** Whether it may run the whole Daybook: rebuild, verify, export, see parked events of every project. Default no. */
  readonly admin?: boolean
}

/**
 * Makes a key for the project. Only its hash is stored: this is the one moment at which it can be read.
 * @param db as the owner: the application may not make keys
 */
export async function createApiKey(
  db: Queryable,
  projectId: string,
  name: string,
  rights: KeyRights = {},
): Promise<string> {
  const key = PREFIX + randomBytes(32).toString('base64url')
  await insertKey(db, projectId, name, key, rights)
  return key
}

/**
 * Lets a key that was made elsewhere, in the form that the settings check, open the project.
 * @param db as the owner
 * @throws DaybookError CONFIGURATION where it opens another one already
 */
export async function ensureApiKey(
  db: Queryable,
  projectId: string,
  name: string,
  key: string,
  rights: KeyRights = {},
): Promise<void> {
  await insertKey(db, projectId, name, key, rights)
  const access = await accessOfKey(db, key)
  if (access?.projectId !== projectId)
    throw new DaybookError(
      'CONFIGURATION',
      `The key that is to open the project "${name}" opens another one already.`,
    )
}

async function insertKey(
  db: Queryable,
  projectId: string,
  name: string,
  key: string,
  { admin = false }: KeyRights,
): Promise<void> {
  await db
    .insertInto('api_keys')
    .values({ id: newId(), project_id: projectId, key_hash: hashOf(key), name, admin })
    .onConflict((conflict) => conflict.column('key_hash').doNothing())
    .execute()
}

/** What a key opens, and what it is called: the name is the actor of the events written with it. */
export interface Access {
  readonly keyId: string
  readonly projectId: string
  readonly keyName: string
  /** Whether it may run the whole Daybook besides. */
  readonly admin: boolean
}

/** A key that is neither revoked nor expired, by the database's clock. */
const holds = sql<SqlBool>`revoked_at is null and (expires_at is null or expires_at > now())`

/** What the key opens; null for any other string, and for a key that was revoked or has expired. */
export async function accessOfKey(db: Queryable, key: string): Promise<Access | null> {
  if (!key.startsWith(PREFIX)) return null
  const row = await db
    .selectFrom('api_keys')
    .select(['id', 'project_id', 'name', 'admin'])
    .where('key_hash', '=', hashOf(key))
    .where(holds)
    .executeTakeFirst()
  if (row === undefined) return null
  return { keyId: row.id, projectId: row.project_id, keyName: row.name, admin: row.admin }
}

/** Which of these keys, by their ids, still open something, and which project. */
export async function readOpenKeys(db: Database, keyIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'project_id'])
    .where(sql<SqlBool>`id = any(${keyIds}::uuid[])`)
    .where(holds)
    .execute()
  return new Map(rows.map((row) => [row.id, row.project_id]))
}
