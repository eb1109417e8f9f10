import type { Trust } from '@daybook/memory/trust'
import { sql } from 'kysely'
import type { Queryable } from '../connect.ts'
import type { Access } from './api-keys.ts'

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
