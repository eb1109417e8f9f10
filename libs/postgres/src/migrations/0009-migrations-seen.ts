import { type Kysely, sql } from 'kysely'

/** Lets the application read the applied migrations, to compare them with its own. Compatible. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`grant select on daybook.kysely_migration to daybook_app`.execute(db)
}
