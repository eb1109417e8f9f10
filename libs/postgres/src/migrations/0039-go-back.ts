import { type Kysely, sql } from 'kysely'

/**
 * Whether a copy may go back below what its home has confirmed: once, because a person said so, or the home was lost and
 * handed over. Compatible: the previous version goes back by itself and does not look.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.followed_projects add column may_go_back boolean not null default false`.execute(
    db,
  )
}
