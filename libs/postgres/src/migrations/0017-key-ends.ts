import { type Kysely, sql } from 'kysely'

/**
 * Keys that are revoked or expire. Compatible: the version before goes on accepting such keys, so keys are revoked for good only
 * once no process of it is left.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table daybook.api_keys
      add column revoked_at timestamptz,
      add column expires_at timestamptz`.execute(db)
}
