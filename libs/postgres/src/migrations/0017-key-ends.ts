import { type Kysely, sql } from 'kysely'

/**
 * Keys can be revoked and can expire. Compatible, but the previous version still accepts such keys: revoking
 * is complete only once none of its processes is left.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table daybook.api_keys
      add column revoked_at timestamptz,
      add column expires_at timestamptz`.execute(db)
}
