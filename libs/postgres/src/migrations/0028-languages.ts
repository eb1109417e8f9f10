import { type Kysely, sql } from 'kysely'

/**
 * Gives projects a language: the text search configuration of Postgres that makes lexemes of their texts.
 * Compatible: the previous version does not read it.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.projects add column language text not null default 'english'`.execute(db)
  await sql`grant update (language) on daybook.projects to daybook_app`.execute(db)
}
