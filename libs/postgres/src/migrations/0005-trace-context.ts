import { type Kysely, sql } from 'kysely'

/**
 * Which trace an event belongs to. Compatible: the version before writes and reads events without the column, and it is
 * added without touching a row.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.events add column traceparent text`.execute(db)
}
