import { type Kysely, sql } from 'kysely'

/**
 * Keys that may run the whole Daybook, not only use their project. The first start's key, which so far was the only one
 * there could be, is such a key. Compatible: the version before does not ask.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.api_keys add column admin boolean not null default false`.execute(db)
  await sql`update daybook.api_keys set admin = true where name = 'default'`.execute(db)
}
