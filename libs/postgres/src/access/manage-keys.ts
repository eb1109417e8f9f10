import { newId } from '@daybook/memory/id'
import type { Trust } from '@daybook/memory/trust'
import { sql } from 'kysely'
import type { Database } from '../connect.ts'
import { type Access, hashOfKey, newKey, type Scope, shownPrefix } from './api-keys.ts'
import { setKeyTrust } from './quarantines.ts'

/*
 * Keys as administrators see and change them. The application's role may neither write keys nor read their
 * hashes. Functions of the owner (`migrations/baseline/keys.ts`) do it, for a caller who shows the hash of a key that
 * administers all that the key in question opens; the gateway has that hash only while it answers its holder.
 */

/** A key as a list shows it. */
export interface ApiKey {
  readonly id: string
  readonly name: string
  /** Its first characters; null if it was made before they were stored. */
  readonly prefix: string | null
  readonly scopes: readonly Scope[]
  /** Null: all projects. */
  readonly projects: readonly string[] | null
  /** Whether it runs the whole Daybook. */
  readonly admin: boolean
  readonly createdAt: string
  readonly expiresAt: string | null
  readonly revokedAt: string | null
  readonly lastUsedAt: string | null
  /** The key that it was rotated to. */
  readonly replacedBy: string | null
  readonly isExpired: boolean
  /** How far what it writes is trusted. */
  readonly trust: Trust
}

interface KeyRow extends Omit<ApiKey, 'scopes' | 'projects' | 'trust'> {
  readonly scopes: string[]
  readonly trust: string
  readonly projects: string[] | null
}

/** A new key, which can be read only now. */
export interface CreatedKey {
  readonly id: string
  readonly key: string
}

/**
 * The keys that open the project, or all keys; the oldest first.
 * @param db bound to no project
 * @param ofProjects only keys that open one of these; null: all keys
 */
export async function listKeys(db: Database, ofProjects: readonly string[] | null): Promise<ApiKey[]> {
  const { rows } = await sql<KeyRow>`
    select id, name, prefix, scopes, admin, created_at as "createdAt", expires_at as "expiresAt",
      revoked_at as "revokedAt", last_used_at as "lastUsedAt", replaced_by as "replacedBy",
      coalesce(expires_at <= now(), false) as "isExpired",
      coalesce((select trust from key_trust where key_id = id), 'normal') as trust,
      case when not all_projects then array(
        select project_id from api_key_projects where key_id = id order by project_id) end as projects
    from api_keys
    where ${ofProjects}::uuid[] is null or all_projects or exists (
      select from api_key_projects where key_id = id and project_id = any(${ofProjects}::uuid[]))
    order by created_at, id`.execute(db)
  return rows.map((row) => ({ ...row, scopes: row.scopes as Scope[], trust: row.trust as Trust }))
}

/** What a new key is to be. */
export interface NewKey {
  readonly name: string
  /** Null: all projects. */
  readonly projects: readonly string[] | null
  readonly scopes: readonly Scope[]
  /** RFC 3339; null: it does not expire. */
  readonly expiresAt: string | null
  /** Default `normal`. */
  readonly trust?: Trust
}

/** Makes a key for an administrator. @throws the database's error if the acting key may not */
export async function makeKey(
  db: Database,
  acting: Access,
  { name, projects, scopes, expiresAt, trust = 'normal' }: NewKey,
): Promise<CreatedKey> {
  const [id, key] = [newId(), newKey()]
  await db.transaction().execute(async (trx) => {
    await sql`
      select make_api_key(${acting.keyHash}, ${id}, ${hashOfKey(key)}, ${shownPrefix(key)}, ${name},
        ${scopes}::text[], ${projects}::uuid[], ${expiresAt}::timestamptz)`.execute(trx)
    if (trust !== 'normal') await setKeyTrust(trx, acting, id, trust)
  })
  return { id, key }
}

/**
 * Makes a key that is like another, which stays valid for a while longer.
 * @param graceSeconds how long the old key stays valid
 * @returns null if there is no such key, or it has ended or was rotated before
 */
export async function rotateKey(
  db: Database,
  acting: Access,
  { keyId, graceSeconds }: { readonly keyId: string; readonly graceSeconds: number },
): Promise<CreatedKey | null> {
  const [id, key] = [newId(), newKey()]
  const { rows } = await sql<{ rotated: boolean }>`
    select rotate_api_key(${acting.keyHash}, ${keyId}, ${id}, ${hashOfKey(key)}, ${shownPrefix(key)},
      make_interval(secs => ${graceSeconds})) as rotated`.execute(db)
  return rows[0]?.rotated === true ? { id, key } : null
}

/** Ends a key at once. Other gateways notice within 2 s. */
export async function revokeKey(db: Database, acting: Access, keyId: string): Promise<void> {
  await sql`select revoke_api_key(${acting.keyHash}, ${keyId})`.execute(db)
}

/** Writes when keys were last used, by id. */
export async function noteUses(db: Database, uses: ReadonlyMap<string, Date>): Promise<void> {
  await sql`
    update api_keys set last_used_at = greatest(last_used_at, used.at)
    from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::timestamptz[]) as used(id, at)
    where api_keys.id = used.id`.execute(db)
}
