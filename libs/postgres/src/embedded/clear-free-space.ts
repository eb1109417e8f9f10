import { sql } from 'kysely'
import type { Database } from '../connect.ts'
import { setStatisticsTarget } from './maintain-tables.ts'

/** What was done about free space. */
export interface ClearedSpace {
  /** The tables that were written anew. */
  readonly cleared: readonly string[]
  /** Those that are too large for that, so that their free space may still have erased texts. */
  readonly left: readonly string[]
}

/**
 * The largest table that is written anew, in bytes. Everybody waits meanwhile: some 2 s.
 */
const LARGEST = 64 * 1024 * 1024

const NOTHING: ClearedSpace = { cleared: [], left: [] }

interface SizedTable {
  /** Schema and name, quoted for SQL. */
  readonly name: string
  readonly bytes: number
}

/**
 * After an erasure, removes what the embedded database's files still have of the text. A vacuum is not enough: it
 * only marks the room as free, and the text is read there until something else is written over it. So the tables
 * are written anew, and the write-ahead log begins a new file; a checkpoint deletes the old ones. (A server's
 * administrator does the same: docs/security.md.)
 *
 * Planner statistics keep values of some columns (`statistics.ts`), so they are gathered anew. They are removed first,
 * because those of a table that has become empty would stay.
 *
 * Tables with a vector index are left out, as in `maintain-tables.ts`. They have vectors, and no texts.
 *
 * @param db whose role has the right to maintain tables (`prepare.ts`)
 */
export async function clearFreeSpace(db: Database): Promise<ClearedSpace> {
  const { rows: since } = await sql<{ erased_at: string }>`
    select erased_at::text as erased_at from free_space where erased_at is not null`.execute(db)
  const [erased] = since
  if (erased === undefined) return NOTHING
  const { rows } = await sql<SizedTable>`
    select format('%I.%I', nspname, relname) as name, pg_table_size(c.oid) as bytes
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where c.relkind = 'r' and (nspname = 'daybook' or nspname like 'pgvector\\_%') and not exists (
      select from pg_index join pg_class i on i.oid = indexrelid join pg_am on pg_am.oid = i.relam
      where indrelid = c.oid and amname = 'hnsw')
    order by 1`.execute(db)
  const cleared = rows.filter(({ bytes }) => bytes <= LARGEST).map(({ name }) => name)
  const left = rows.filter(({ bytes }) => bytes > LARGEST).map(({ name }) => name)
  await removeStatistics(db, [...cleared, ...left])
  await setStatisticsTarget(db)
  for (const name of cleared) await sql`vacuum (full, analyze) ${sql.raw(name)}`.execute(db)
  for (const name of left) await sql`analyze ${sql.raw(name)}`.execute(db)
  await sql`vacuum full pg_catalog.pg_statistic`.execute(db)
  await sql`select pg_switch_wal()`.execute(db)
  await sql`checkpoint`.execute(db)
  // Whatever was erased meanwhile needs another round.
  await sql`update free_space set erased_at = null where erased_at = ${erased.erased_at}::timestamptz`.execute(
    db,
  )
  return { cleared, left }
}

async function removeStatistics(db: Database, tables: readonly string[]): Promise<void> {
  await sql`
    select pg_clear_attribute_stats(nspname, relname, attname, false)
    from pg_attribute join pg_class c on c.oid = attrelid join pg_namespace n on n.oid = c.relnamespace
    where attrelid = any(${tables}::regclass[]) and attnum > 0 and not attisdropped`.execute(db)
}
