import { type Kysely, sql } from 'kysely'

/**
 * How far each project's events are published, and which relay works on them. Compatible: the previous
 * version knows no relay and does not use the table.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table daybook.relay_positions (
      project_id uuid primary key,
      published bigint not null,
      holder text,
      held_until timestamptz,
      check ((holder is null) = (held_until is null))
    )`.execute(db)
  await sql`grant select, insert, update on daybook.relay_positions to daybook_app`.execute(db)
}
