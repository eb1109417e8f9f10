import { newId } from '@daybook/memory/id'
import type { Trust } from '@daybook/memory/trust'
import { sql } from 'kysely'
import type { Database, Queryable } from '../connect.ts'
import type { Access } from './api-keys.ts'

/*
 * Quarantines of writers. Like keys, they are written only by functions of the owner (`migrations/baseline/keys.ts`), for a caller
 * who shows the hash of a key that administers the projects in question. Rows are never deleted: they are the record.
 */

/** Whom a quarantine is about: a key, or who says to be an agent in one project. */
interface QuarantineTarget {
  /** Null: all projects. */
  readonly projectId: string | null
  /** The id of a key; null if it is of an agent. */
  readonly keyId: string | null
  readonly agent: string | null
}

/** A quarantine, also one that is over. */
export interface Quarantine {
  readonly id: string
  readonly projectId: string | null
  /** The key, and those that it was rotated to or from; none if it is of an agent. */
  readonly keyIds: readonly string[]
  readonly agent: string | null
  readonly reason: string
  readonly beganAt: string
  /** The name of the key that asked for it. */
  readonly beganBy: string
  /** Null while it lasts. */
  readonly releasedAt: string | null
  readonly releasedBy: string | null
  readonly releaseReason: string | null
}

interface QuarantineRow extends Omit<Quarantine, 'keyIds'> {
  readonly keyIds: string[]
}

/**
 * The quarantines of some projects and those of all projects, the newest first.
 * @param db bound to all projects, or to the one
 * @param ofProjects null: of whichever
 */
export async function listQuarantines(
  db: Database,
  ofProjects: readonly string[] | null,
  { released = false }: { readonly released?: boolean } = {},
): Promise<Quarantine[]> {
  const { rows } = await sql<QuarantineRow>`
    select id, project_id as "projectId", key_ids::text[] as "keyIds", agent, reason, began_at as "beganAt",
      began_by as "beganBy", released_at as "releasedAt", released_by as "releasedBy", release_reason as "releaseReason"
    from quarantines
    where (${ofProjects}::uuid[] is null or project_id is null or project_id = any(${ofProjects}::uuid[]))
      and (${released} or released_at is null)
    order by began_at desc, id desc`.execute(db)
  return rows
}

/**
 * Puts a writer into quarantine. What it wrote leaves every search with the next request, wherever that is served.
 * @returns the quarantine's id; null if the acting key would put itself into it, so that it could not release it
 * @throws the database's error if the acting key may not
 */
export async function beginQuarantine(
  db: Database,
  acting: Pick<Access, 'keyHash'>,
  { projectId, keyId, agent }: QuarantineTarget,
  reason: string,
): Promise<string | null> {
  const id = newId()
  const { rows } = await sql<{ begun: boolean }>`
    select quarantine_writer(${acting.keyHash}, ${id}, ${projectId}::uuid, ${keyId}::uuid, ${agent}, ${reason}) as begun`.execute(
    db,
  )
  return rows[0]?.begun === true ? id : null
}

/**
 * Ends a quarantine: what it withheld is back.
 * @returns false if there is none that lasts
 * @throws the database's error if the acting key may not, or is in it
 */
export async function releaseQuarantine(
  db: Database,
  acting: Pick<Access, 'keyHash'>,
  id: string,
  reason: string | null,
): Promise<boolean> {
  const { rows } = await sql<{ released: boolean }>`
    select release_quarantine(${acting.keyHash}, ${id}, ${reason}) as released`.execute(db)
  return rows[0]?.released === true
}

/**
 * Sets how far a key is trusted, with those that it was rotated to or from: at once, for all that they ever wrote.
 * @throws the database's error if the acting key does not administer all that the key opens
 */
export async function setKeyTrust(
  db: Queryable,
  acting: Pick<Access, 'keyHash'>,
  keyId: string,
  trust: Trust,
): Promise<void> {
  await sql`select set_key_trust(${acting.keyHash}, ${keyId}, ${trust})`.execute(db)
}

/** The keys among these that are not trusted as usual, by id. Ids that are no UUIDs are left out. */
export async function readTrust(db: Queryable, keyIds: readonly string[]): Promise<Map<string, Trust>> {
  const { rows } = await sql<{ key_id: string; trust: string }>`
    select key_id, trust from key_trust where key_id::text = any(${keyIds}::text[])`.execute(db)
  return new Map(rows.map(({ key_id, trust }) => [key_id, trust as Trust]))
}
