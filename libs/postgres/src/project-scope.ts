import { type Kysely, type QueryExecutorProvider, type RawBuilder, sql } from 'kysely'
import { answersAtOnce, bindToProject, type Database } from './connect.ts'

/**
 * What every query of a request goes through: a database handle bound to one project. Code that reads or
 * writes a project's data takes a scope, never a handle and a project id, so that no query can be written
 * without its project. If a condition is wrong or missing, row level security still hides other projects'
 * rows. Services get scopes from `projectScope` only after the request's key named the project.
 */
export interface ProjectScope {
  readonly projectId: string
  readonly db: Database
}

/** Binds a handle to a project. Call it only where the project has just been established. */
export function projectScope(db: Database, projectId: string): ProjectScope {
  return { projectId, db: bindToProject(db, projectId) }
}

/**
 * Does work that asks one statement after the other. Beside work on other projects it keeps one connection, which is bound to the
 * project once and not again for every statement. The embedded database has no second one for the others.
 */
export const onOneConnection = <T>(
  scope: ProjectScope,
  work: (scope: ProjectScope) => Promise<T>,
): Promise<T> =>
  answersAtOnce(scope.db)
    ? scope.db.connection().execute((db) => work({ projectId: scope.projectId, db }))
    : work(scope)

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
  // In subselects, so that the setting is read once per query, not per row. A `case`, because the planner takes `or` for a condition
  // that few rows satisfy: beside 5,000 projects it expected 43 of a project's 8,000 rows, and read and sorted all of them for what
  // an index gives in order.
  await sql`
    create policy own_project on ${table} using (
      case when ${sql.id(column)} = (
        select nullif(nullif(current_setting('daybook.project', true), '*'), '')::uuid) then true
      else (select current_setting('daybook.project', true)) = '*' end)`.execute(db)
}

/**
 * Makes a function in PL/pgSQL that the application may call and that runs with its owner's rights: the way in which
 * the application may do a little of what its role may not.
 * @param signature without the schema: `name(argument type, …)`
 * @param body from `declare` or `begin` to `end`
 */
export async function makeOwnerFunction(
  db: Kysely<unknown>,
  signature: string,
  returns: string,
  body: RawBuilder<unknown>,
): Promise<void> {
  const name = sql.raw(`daybook.${signature.slice(0, signature.indexOf('('))}`)
  await sql`
    create function ${sql.raw(`daybook.${signature} returns ${returns}`)}
    language plpgsql security definer set search_path = pg_catalog, pg_temp as $$ ${body} $$`.execute(db)
  await sql`revoke all on function ${name} from public`.execute(db)
  await sql`grant execute on function ${name} to daybook_app`.execute(db)
}
