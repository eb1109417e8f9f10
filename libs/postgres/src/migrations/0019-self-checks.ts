import { type Kysely, sql } from 'kysely'
import { secureRows } from '../row-security.ts'

/**
 * How far each generation's self-check has got (`@daybook/projection/self-check`), and what it found.
 * Compatible.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table daybook.self_checks (
      projection text not null,
      generation int not null,
      project_id uuid not null references daybook.projects,
      walked bigint not null default 0,
      hurried bigint not null default 0,
      checked_at timestamptz not null default '-infinity',
      differed bigint not null default 0,
      differed_at timestamptz,
      example text,
      unhealed int not null default 0,
      journal_problem text,
      primary key (projection, generation, project_id)
    )`.execute(db)
  await sql`create index on daybook.self_checks (projection, generation, checked_at)`.execute(db)
  await sql`grant select, insert, update, delete on daybook.self_checks to daybook_app`.execute(db)
  await secureRows(db, sql.table('daybook.self_checks'))
}
