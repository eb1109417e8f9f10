import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'

/**
 * Binds a table's rows to their projects: whose session is bound to a project (`bound-driver.ts`) can see and write rows of
 * that project only, whatever its query says; whose is bound to none can see nothing. The table's owner is bound too; a superuser
 * is not.
 *
 * @param column that has the project's id
 */
export async function secureRows(
  db: QueryExecutorProvider,
  table: RawBuilder<unknown>,
  column = 'project_id',
): Promise<void> {
  await sql`alter table ${table} enable row level security, force row level security`.execute(db)
  // In subselects, so that the setting is read once a query and not once a row.
  await sql`
    create policy own_project on ${table} using (
      (select current_setting('daybook.project', true)) = '*'
      or ${sql.id(column)} = (
        select nullif(nullif(current_setting('daybook.project', true), '*'), '')::uuid))`.execute(db)
}
