import { type Kysely, type RawBuilder, sql } from 'kysely'
import { secureRows } from '../../project-scope.ts'

/** What the application may do with a table, and by which column its rows belong to projects. */
interface TableAccess {
  /** For `grant`; null: nothing, or single columns. */
  readonly rights: string | null
  /** Default `project_id`; null: its rows belong to no project. */
  readonly projectColumn?: string | null
}

export const ALL_RIGHTS = 'select, insert, update, delete'
/** Of what is filled again by itself and may be damaged (`damage.ts`). */
export const ALL_RIGHTS_AND_EMPTY = `${ALL_RIGHTS}, truncate`

/** Makes a table in the schema `daybook`. */
export async function makeTable(
  db: Kysely<unknown>,
  name: string,
  { rights, projectColumn = 'project_id' }: TableAccess,
  columns: RawBuilder<unknown>,
): Promise<void> {
  const table = sql.table(`daybook.${name}`)
  await sql`create table ${table} (${columns})`.execute(db)
  if (rights !== null) await sql`grant ${sql.raw(rights)} on ${table} to daybook_app`.execute(db)
  if (projectColumn !== null) await secureRows(db, table, projectColumn)
}
