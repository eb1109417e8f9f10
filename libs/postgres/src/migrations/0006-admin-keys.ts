import { type Kysely, sql } from 'kysely'

/**
 * Keys that may run the whole Daybook, not only use their project. The first start's key, the only key
 * possible so far, becomes one. Compatible: the previous version does not ask for the right.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.api_keys add column admin boolean not null default false`.execute(db)
  await sql`update daybook.api_keys set admin = true where name = 'default'`.execute(db)
}
