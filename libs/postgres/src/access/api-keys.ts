import { createHash, randomBytes } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { DaybookError } from '@daybook/memory/errors'
import { newId } from '@daybook/memory/id'
import { type SqlBool, sql } from 'kysely'
import type { Database, Queryable } from '../connect.ts'

/** What a key of one project may do besides reading and writing it. */
interface KeyRights {
  /**
   * Whether it may run the whole Daybook: rebuild, verify, export, see parked events of every project.
   * Default no.
   */
  readonly admin?: boolean
}

/**
 * Makes a key that reads and writes the project. Only its hash is stored, so the key can be read only now.
 * @param db as the owner: the application makes keys for administrators only (`manage-keys.ts`)
 */
export async function createApiKey(
  db: Queryable,
  projectId: string,
  name: string,
  rights: KeyRights = {},
): Promise<string> {
  const key = newKey()
  await insertKey(db, projectId, name, key, rights)
  return key
}

/**
 * Stores a key that was made elsewhere, in the form that the settings check, as a key of the project.
 * @param db as the owner
 * @throws DaybookError CONFIGURATION if the key already opens another project, was revoked or has expired
 */
export async function ensureApiKey(
  db: Queryable,
  projectId: string,
  name: string,
  key: string,
  rights: KeyRights = {},
): Promise<void> {
  await insertKey(db, projectId, name, key, rights)
  const found = await findKey(db, key)
  if ('refusal' in found)
    throw new DaybookError(
      'CONFIGURATION',
      `The key given for the project "${name}" was revoked or has expired: give another one.`,
    )
  if (!opens(found.access, projectId))
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
  const scopes = admin ? ['read', 'write', 'admin'] : ['read', 'write']
  await sql`
    with made as (
      insert into api_keys (id, key_hash, prefix, name, scopes, admin)
      values (${newId()}, ${hashOfKey(key)}, ${shownPrefix(key)}, ${name}, ${scopes}::text[], ${admin})
      on conflict (key_hash) do nothing returning id)
    insert into api_key_projects select id, ${projectId} from made`.execute(db)
}

/** What a key opens, and the key's name: the actor of the events written with it. */
export interface Access {
  readonly keyId: string
  readonly keyName: string
  /** By which the database knows the key again, when it makes other keys. */
  readonly keyHash: Buffer
  readonly scopes: ReadonlySet<Scope>
  /** Whether its scope `admin` is for the whole Daybook, not only for its projects. */
  readonly admin: boolean
  /** The projects that it may use; null: all. */
  readonly projects: readonly string[] | null
  /** The project that the request is about; null if the key may use several and the request names none. */
  readonly projectId: string | null
  /** If a browser asks with a session of the console (`console-sessions.ts`): the session's id. */
  readonly sessionId?: string
  /**
   * If an OAuth token asks: when it ends, in milliseconds since 1970. `keyId` and `keyName` are then of its holder, there
   * is no such key, and `keyHash` is empty, so that no function of the database takes it for a key.
   */
  readonly tokenEndsAt?: number
}

/** Why a text opens nothing. */
export type KeyRefusal = 'mistyped' | 'unknown' | 'revoked' | 'expired' | 'project deleted'

/** A key as the database's functions find it. */
export interface FoundRow {
  readonly id: string
  readonly name: string
  readonly scopes: string[]
  readonly admin: boolean
  readonly projects: string[] | null
  readonly ended: string | null
}

/** What the key opens; without it, why it opens nothing. */
export async function findKey(
  db: Queryable,
  key: string,
): Promise<{ readonly access: Access } | { readonly refusal: KeyRefusal }> {
  if (!key.startsWith(KEY_PREFIX)) return { refusal: 'unknown' }
  const keyHash = hashOfKey(key)
  const { rows } = await sql<FoundRow>`
    select id, name, scopes, admin, project_ids as projects, ended from find_api_key(${keyHash})`.execute(db)
  const [row] = rows
  if (row === undefined) return { refusal: isMistyped(key) ? 'mistyped' : 'unknown' }
  return readFound(row, keyHash)
}

/** What a found key opens; if it has ended, why it opens nothing. */
export function readFound(
  { id, name, scopes, admin, projects, ended }: FoundRow,
  keyHash: Buffer,
): { readonly access: Access } | { readonly refusal: KeyRefusal } {
  // A key opens a project as long as there is the project.
  if (ended === 'revoked' && projects?.length === 0) return { refusal: 'project deleted' }
  if (ended !== null) return { refusal: ended as KeyRefusal }
  const projectId = projects?.length === 1 ? (projects[0] as string) : null
  return {
    access: {
      keyId: id,
      keyName: name,
      keyHash,
      scopes: new Set(scopes as Scope[]),
      admin,
      projects,
      projectId,
    },
  }
}

/** What the key opens; null for any other text and for a revoked or expired key. */
export async function accessOfKey(db: Queryable, key: string): Promise<Access | null> {
  const found = await findKey(db, key)
  return 'access' in found ? found.access : null
}

/** Whether a key may use the project. */
export const opens = ({ projects }: Pick<Access, 'projects'>, projectId: string): boolean =>
  projects === null || projects.includes(projectId)

/** The projects of a key; null: all. */
interface OpenKeyRow {
  readonly id: string
  readonly projects: string[] | null
}

/** Which of these keys, by id, are neither revoked nor expired by the database's clock, and what they open. */
export async function readOpenKeys(
  db: Database,
  keyIds: readonly string[],
): Promise<Map<string, Pick<Access, 'projects'>>> {
  const { rows } = await sql<OpenKeyRow>`
    select id, case when not all_projects then array(select project_id from api_key_projects where key_id = id) end as projects
    from api_keys where id = any(${keyIds}::uuid[]) and ${holds}`.execute(db)
  return new Map(rows.map(({ id, projects }) => [id, { projects }]))
}

const holds = sql<SqlBool>`revoked_at is null and (expires_at is null or expires_at > now())`

/*
 * A key is `dbk_`, 30 random characters of 62 (178 bits), and 6 characters that are the CRC-32 of those 30.
 * GitHub's tokens have this form (github.blog, "Behind GitHub's new authentication token formats"): scanners
 * find a leaked key by its beginning and its checksum, and a mistyped key is told from an unknown one.
 *
 * Keys made before have 43 characters of base64url; the one in DAYBOOK_DEFAULT_KEY has what its maker chose.
 */

/** How every key begins, so that scanners recognise a leaked one. */
const KEY_PREFIX = 'dbk_'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

const RANDOM = 30

const CHECKSUM = 6

/** The characters after `dbk_` that a display shows. */
const SHOWN = 6

const FORM = new RegExp(`^${KEY_PREFIX}[0-9A-Za-z]{${RANDOM + CHECKSUM}}$`, 'u')

/** Makes a key. */
export function newKey(): string {
  let random = ''
  // 248 = 4 × 62: without larger bytes, every character is equally likely.
  while (random.length < RANDOM)
    for (const byte of randomBytes(RANDOM))
      if (byte < 248 && random.length < RANDOM) random += ALPHABET[byte % 62]
  return KEY_PREFIX + random + checksumOf(random)
}

/**
 * Whether the text has the form of a key but another checksum, so that no Daybook can have made it. A key that
 * somebody chose for DAYBOOK_DEFAULT_KEY may look like that too: ask the database first.
 */
export function isMistyped(key: string): boolean {
  if (!FORM.test(key)) return false
  const body = key.slice(KEY_PREFIX.length)
  return checksumOf(body.slice(0, RANDOM)) !== body.slice(RANDOM)
}

/** The key's beginning, by which people recognise it in a list. */
export const shownPrefix = (key: string): string => key.slice(0, KEY_PREFIX.length + SHOWN)

/** The SHA-256 of a key. A fast hash is enough: a key cannot be guessed. */
export const hashOfKey = (key: string): Buffer => createHash('sha256').update(key).digest()

function checksumOf(text: string): string {
  let rest = crc32(text)
  let digits = ''
  for (let place = 0; place < CHECKSUM; place += 1) {
    digits = ALPHABET[rest % 62] + digits
    rest = Math.floor(rest / 62)
  }
  return digits
}

/**
 * What a key may do: `read` its projects, `write` to them, or administer them (`admin`): their keys and names.
 * A key of all projects with `admin` runs the whole Daybook. `follow` lets another Daybook copy the whole journal, also what
 * is withheld from readers; `admin` may do that too.
 */
export type Scope = 'read' | 'write' | 'follow' | 'admin'

/** All scopes, in the order in which they are shown. */
export const SCOPES: readonly Scope[] = ['read', 'write', 'follow', 'admin']
