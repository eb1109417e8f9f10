import { type Kysely, sql } from 'kysely'

/** When a projection last moved, so that one that is behind and still can be told from one that is behind and busy. Compatible. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.positions add column moved_at timestamptz not null default now()`.execute(db)
}
