import { type Kysely, sql } from 'kysely'

/**
 * Who builds a generation, so that a rebuild which was stalled beyond its lease cannot write it any more; the version of its
 * layout, and why one cannot be used; and the last number that a projection's generations got, as a number is never given twice: whoever still means the
 * one before would write the new one. Compatible.
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
