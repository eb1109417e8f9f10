import { type Kysely, sql } from 'kysely'

/** Lets the application see which migrations were applied, so that it can tell whether they are all its own. Compatible. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`grant select on daybook.kysely_migration to daybook_app`.execute(db)
}
