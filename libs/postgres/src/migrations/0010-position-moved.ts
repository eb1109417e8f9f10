import { type Kysely, sql } from 'kysely'

/** When a projection last moved: tells one that is stuck from one that is behind but busy. Compatible. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.positions add column moved_at timestamptz not null default now()`.execute(db)
}
