import { type Kysely, sql } from 'kysely'

/** Generations that are rebuilt beside the live one, and operations. Compatible. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.generations drop constraint generations_status_check`.execute(db)
  await sql`
    alter table daybook.generations
      add constraint generations_status_check check (status in ('building', 'following', 'live', 'old', 'dropping')),
      add column retired_at timestamptz`.execute(db)
  await sql`
    create table daybook.operations (
      id uuid primary key,
      type text not null,
      lane text not null,
      projection text,
      options jsonb not null,
      status text not null check (status in ('queued', 'running', 'succeeded', 'failed', 'cancelled')),
      phase text not null default 'waiting',
      done bigint not null default 0,
      total bigint,
      checkpoint jsonb,
      result jsonb,
      error text,
      cancel_requested boolean not null default false,
      requested_by text,
      created_at timestamptz not null default clock_timestamp(),
      started_at timestamptz,
      updated_at timestamptz not null default clock_timestamp(),
      finished_at timestamptz,
      holder text,
      held_until timestamptz
    )`.execute(db)
  // At most one per lane: those that would disturb each other share a lane.
  await sql`
    create unique index one_operation_a_lane on daybook.operations (lane) where status in ('queued', 'running')`.execute(
    db,
  )
  await sql`create index on daybook.operations (created_at)`.execute(db)
  // Set when an operator drops the event: it is skipped for good, but still listed.
  await sql`alter table daybook.parked_events add column dropped_at timestamptz`.execute(db)
  await sql`grant select, insert, update, delete on daybook.operations to daybook_app`.execute(db)
}
