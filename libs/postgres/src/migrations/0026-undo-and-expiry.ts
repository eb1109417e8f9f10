import { type Kysely, sql } from 'kysely'
import { secureRows } from '../row-security.ts'

/**
 * Operations that belong to one project, such as undos: its keys may ask for them and see them, so row level
 * security binds them. Operations without a project stay with those who run Daybook: the
 * gateway asks for them only with an administrator's key. Also the lease of the
 * process that expires memories, and an index to find those that are due. Compatible.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table daybook.operations add column project_id uuid`.execute(db)
  await secureRows(db, sql.table('daybook.operations'))
  // A rebuild makes sure that its operation is still held, in transactions that are bound to the project whose rows
  // it writes. To see operations without a project is all that this allows.
  await sql`
    create policy without_project on daybook.operations for select using (project_id is null)`.execute(db)
  await sql`
    create table daybook.expiry_lease (
      one_row boolean primary key default true check (one_row),
      lease_owner text,
      leased_until timestamptz
    )`.execute(db)
  await sql`insert into daybook.expiry_lease default values`.execute(db)
  await sql`grant select, update on daybook.expiry_lease to daybook_app`.execute(db)
  const { rows } = await sql<{ table: string }>`
    select format('%I.%I', schemaname, tablename) as table from pg_tables
    where tablename = 'memories' and schemaname in (
      select 'pgvector_' || generation from daybook.generations where projection = 'pgvector')`.execute(db)
  for (const { table } of rows)
    await sql`
      create index on ${sql.raw(table)} (expires_at) where expires_at is not null and not forgotten`.execute(
      db,
    )
}
