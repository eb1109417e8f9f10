import { type Kysely, sql } from 'kysely'

/**
 * The trace that an event belongs to. Compatible: the previous version ignores the column, and adding it
 * touches no row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.events add column traceparent text`.execute(db)
}
