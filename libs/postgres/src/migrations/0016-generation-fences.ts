import { type Kysely, sql } from 'kysely'

/**
 * Adds the builder of a generation, so that a rebuild that stalled beyond its lease can no longer write it;
 * the version of its layout; and why it cannot be used. Also keeps the last number that a projection's
 * generations got. A number is never reused: a process that still means the old generation would write the
 * new one. Compatible.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    alter table daybook.generations add column builder text, add column layout_version integer not null default 1,
      add column unusable text`.execute(db)
  await sql`create table daybook.generation_numbers (projection text primary key, last integer not null)`.execute(
    db,
  )
  await sql`
    insert into daybook.generation_numbers (projection, last)
    select projection, max(generation) from daybook.generations group by projection`.execute(db)
  await sql`grant select, insert, update, delete on daybook.generation_numbers to daybook_app`.execute(db)
}
