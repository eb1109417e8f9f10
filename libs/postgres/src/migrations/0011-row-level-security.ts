import { type Kysely, sql } from 'kysely'
import { secureRows } from '../row-security.ts'

const TABLES = [
  'events',
  'idempotency_keys',
  'journal_heads',
  'api_keys',
  'positions',
  'parked_events',
  'memory_access',
  'relay_positions',
  'typesense_pending_vectors',
  'typesense_reposts',
]

/**
 * Row level security on everything that belongs to a project, including the read model's tables. Breaking:
 * sessions of the previous version are bound to no project and see nothing.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  await secureRows(db, sql.table('daybook.projects'), 'id')
  for (const table of TABLES) await secureRows(db, sql.table(`daybook.${table}`))
  const { rows } = await sql<{ table: string }>`
    select format('%I.%I', table_schema, table_name) as table from information_schema.columns
    where column_name = 'project_id' and table_schema in (
      select 'pgvector_' || generation from daybook.generations where projection = 'pgvector')`.execute(db)
  for (const { table } of rows) await secureRows(db, sql.raw(table))
}
