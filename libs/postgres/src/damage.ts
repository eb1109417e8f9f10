import { sql } from 'kysely'
import type { Database, Queryable } from './connect.ts'
import { DAMAGED_FILE, DAMAGED_NAME } from './errors.ts'

/** The table that a damaged file belongs to. Names have their schema and are quoted for SQL. */
export interface DamagedTable {
  readonly table: string
  /** The index of it that is damaged; null: the table itself, or where it keeps long values. */
  readonly index: string | null
}

/** Finds what a damaged file belongs to. Empty if the catalogue does not say, or is damaged itself. */
export async function findDamagedTables(db: Queryable, { message }: Error): Promise<DamagedTable[]> {
  const { tablespace = '0', file = null } = DAMAGED_FILE.exec(message)?.groups ?? {}
  const { index, toast } = DAMAGED_NAME.exec(message)?.groups ?? {}
  const { rows } = await sql<DamagedTable>`
    with damaged as (
      select c.oid, relkind = 'i' as is_index, coalesce((select indrelid from pg_index where indexrelid = c.oid), c.oid) as place
      from pg_class c join pg_namespace n on n.oid = relnamespace
      where c.oid = pg_filenode_relation(${tablespace}::oid, ${file}::oid)
        or relname = ${index ?? toast ?? null} and (nspname in ('daybook', 'pg_toast') or nspname like 'pgvector\\_%')
    )
    select format('%I.%I', nspname, relname) as table, case when is_index then damaged.oid::regclass::text end as index
    from damaged
    join pg_class t on t.oid = coalesce((select oid from pg_class where reltoastrelid = place), place)
    join pg_namespace n on n.oid = relnamespace`.execute(db)
  return rows
}

/**
 * The tables outside generations that are filled again by themselves when they are empty, each with those that refer to it. Which
 * of them the application may empty, a migration says.
 */
const EMPTIED: Readonly<Record<string, readonly string[]>> = {
  embeddings: ['embeddings', 'embedding_chunks'],
  embedding_chunks: ['embeddings', 'embedding_chunks'],
  memory_maps: ['memory_maps'],
  self_checks: ['self_checks'],
  parked_events: ['parked_events'],
  checkpoints: ['checkpoints'],
  positions: ['positions'],
  relay_looks: ['relay_looks'],
}

/**
 * Builds a damaged index again from its table, or empties a damaged table that is filled again by itself. Generations of the read
 * model are not its business.
 * @returns what was done, in words; null if nothing but a backup has what was in it
 * @throws if the database does not allow it: on a server only the owner may build indexes again
 */
export async function repairTable(db: Database, { table, index }: DamagedTable): Promise<string | null> {
  const [schema, name = ''] = table.split('.')
  if (schema !== 'daybook') return null
  if (index !== null) {
    await sql`reindex index ${sql.raw(index)}`.execute(db)
    return 'it was built again from its table'
  }
  const emptied = EMPTIED[name]
  if (emptied === undefined) return null
  await sql`truncate ${sql.join(emptied.map((one) => sql.table(one)))}`.execute(db)
  return 'it was emptied, and is filled again by itself'
}
