import { type Kysely, sql } from 'kysely'

/**
 * The oldest reader and writer that may work here (`compatibility.ts`), which only the owner changes. Parked
 * events get the version of the reader that could not read them, so that a newer reader applies them.
 * Compatible.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table daybook.compatibility (
      one_row boolean primary key default true check (one_row),
      minimum_reader integer not null check (minimum_reader > 0),
      minimum_writer integer not null check (minimum_writer > 0)
    )`.execute(db)
  await sql`insert into daybook.compatibility (minimum_reader, minimum_writer) values (1, 1)`.execute(db)
  await sql`grant select on daybook.compatibility to daybook_app`.execute(db)
  // Null: parked for another reason.
  await sql`alter table daybook.parked_events add column unreadable_by integer`.execute(db)
  await sql`
    create index parked_unreadable on daybook.parked_events (projection, generation, unreadable_by)
    where unreadable_by is not null and dropped_at is null`.execute(db)
}
