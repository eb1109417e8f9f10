import { createHash, randomBytes } from 'node:crypto'
import { DaybookError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import { type SqlBool, sql } from 'kysely'
import type { Database, Queryable } from '../connect.ts'

/** How every key begins, so that scanners recognise a leaked one. */
const PREFIX = 'dbk_'

/** A fast hash is enough: a key has 256 random bits, so it cannot be guessed. */
function hashOf(key: string): Buffer {
  return createHash('sha256').update(key).digest()
}

/** What a key may do besides using its project. */
export interface KeyRights {
  /**
   * Whether it may run the whole Daybook: rebuild, verify, export, see parked events of every project.
   * Default no.
   */
  readonly admin?: boolean
}

/**
 * Makes a key for the project. Only its hash is stored, so the key can be read only now.
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
 * Stores a key that was made elsewhere, in the form that the settings check, as a key of the project.
 * @param db as the owner
 * @throws DaybookError CONFIGURATION if the key already opens another project
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
      `The key given for the project "${name}" already opens another project.`,
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

/** The project that a key opens, and the key's name: the actor of the events written with it. */
export interface Access {
  readonly keyId: string
  readonly projectId: string
  readonly keyName: string
  /** Whether it may also run the whole Daybook. */
  readonly admin: boolean
}

/** Selects keys that are neither revoked nor expired, by the database's clock. */
const holds = sql<SqlBool>`revoked_at is null and (expires_at is null or expires_at > now())`

/** What the key opens; null for any other string and for a revoked or expired key. */
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

/** Which of these keys, by id, still open a project, and which project. */
export async function readOpenKeys(db: Database, keyIds: readonly string[]): Promise<Map<string, string>> {
  const rows = await db
    .selectFrom('api_keys')
    .select(['id', 'project_id'])
    .where(sql<SqlBool>`id = any(${keyIds}::uuid[])`)
    .where(holds)
    .execute()
  return new Map(rows.map((row) => [row.id, row.project_id]))
}
