import { createHash, randomBytes } from 'node:crypto'
import { DaybookError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import type { Database } from '../connect.ts'

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

/** Makes a key for the project. Only its hash is stored: this is the one moment at which it can be read. */
export async function createApiKey(
  db: Database,
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
 * @throws DaybookError CONFIGURATION where it opens another one already
 */
export async function ensureApiKey(
  db: Database,
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
  db: Database,
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
  readonly projectId: string
  readonly keyName: string
  /** Whether it may run the whole Daybook besides. */
  readonly admin: boolean
}

/** What the key opens; null for any other string. */
export async function accessOfKey(db: Database, key: string): Promise<Access | null> {
  if (!key.startsWith(PREFIX)) return null
  const row = await db
    .selectFrom('api_keys')
    .select(['project_id', 'name', 'admin'])
    .where('key_hash', '=', hashOf(key))
    .executeTakeFirst()
  return row === undefined ? null : { projectId: row.project_id, keyName: row.name, admin: row.admin }
}
