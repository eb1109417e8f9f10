import { type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'

/**
 * Binds a table's rows to their projects. A session bound to a project (`bound-driver.ts`) sees and writes
 * only that project's rows, whatever its query says. A session bound to none sees nothing. The table's owner
 * is bound too; a superuser is not.
 *
 * @param column the column with the project's id
 */
export async function secureRows(
  db: QueryExecutorProvider,
  table: RawBuilder<unknown>,
  column = 'project_id',
): Promise<void> {
  await sql`alter table ${table} enable row level security, force row level security`.execute(db)
  // In subselects, so that the setting is read once per query, not per row.
  await sql`
    create policy own_project on ${table} using (
      (select current_setting('daybook.project', true)) = '*'
      or ${sql.id(column)} = (
        select nullif(nullif(current_setting('daybook.project', true), '*'), '')::uuid))`.execute(db)
}
