import { sql } from 'kysely'
import type { Database } from '../connect.ts'

/** What a round did. */
interface Maintained {
  /** The tables whose planner statistics were gathered. */
  readonly analyzed: readonly string[]
  /** The table whose dead rows were removed, if one had many. */
  readonly vacuumed: string | null
  /** Whether a checkpoint was made. */
  readonly checkpointed: boolean
}

/** A table as Postgres counts it. */
interface TableRow {
  /** Schema and name, quoted for SQL. */
  readonly name: string
  /** The rows that the planner knows of; -1 if nobody ever counted. */
  readonly known_rows: number
  readonly known_pages: number
  readonly pages: number
  /** Rows written since the statistics were gathered, as far as this process saw it. */
  readonly changed: number
  /** Old versions of rows, as far as this process saw them. */
  readonly dead: number
  readonly has_vector_index: boolean
}

/** Fewer changed rows than this are not worth a look, as in Postgres with its share of the table. */
const CHANGED_LEAST = 500

const CHANGED_SHARE = 0.1

const DEAD_LEAST = 1_000

const DEAD_SHARE = 0.2

/** The counts of changes are lost with the process. A table that has grown by so many pages is looked at, too. */
const GROWN_PAGES = 50

const GROWN_SHARE = 0.5

/**
 * Megabytes of log after which a checkpoint is made. Recovery after a crash reads all since the last one, and none of it is deleted.
 */
const LOG_MOST = 64

/**
 * Postgres samples 300 times as many rows. The default of 100 takes several times as long, and what the plans
 * here depend on is the number of rows and of projects.
 */
const STATISTICS_TARGET = 10

/** For all that the embedded database's one session analyzes. */
async function setStatisticsTarget(db: Database): Promise<void> {
  await sql`set default_statistics_target = ${sql.lit(STATISTICS_TARGET)}`.execute(db)
}

/**
 * One round of what autovacuum and the checkpointer do on a server, for the embedded database, which has neither. Without statistics
 * the planner takes a project for a two-hundredth of each table, so it ignores the vector index, and reads
 * whole sessions for a memory's neighbours; without a vacuum, lookups go through old versions of rows, and
 * their room is not used again (docs/measurements.md#statistics-of-the-embedded-database).
 *
 * Nothing else runs meanwhile, so a round removes the dead rows of one table only: about a second for 50,000.
 * Tables with a vector index are left out, because removing an entry from HNSW repairs every neighbour's links,
 * which takes as long as building it again. A rebuild of the projection frees that room.
 *
 * @param db whose role has the right to maintain tables (`prepare.ts`)
 */
export async function maintainTables(db: Database): Promise<Maintained> {
  const tables = await readTables(db)
  const stale = tables.filter(isStale)
  const [fullest] = tables
    .filter((table) => !table.has_vector_index && table.dead > DEAD_LEAST + DEAD_SHARE * table.known_rows)
    .toSorted((one, other) => other.dead - one.dead)
  if (stale.length > 0) {
    await setStatisticsTarget(db)
    for (const { name } of stale) await sql`analyze ${sql.raw(name)}`.execute(db)
  }
  if (fullest !== undefined) await sql`vacuum ${sql.raw(fullest.name)}`.execute(db)
  const checkpointed = await isLogLong(db)
  if (checkpointed) await sql`checkpoint`.execute(db)
  return { analyzed: stale.map(({ name }) => name), vacuumed: fullest?.name ?? null, checkpointed }
}

async function isLogLong(db: Database): Promise<boolean> {
  const { rows } = await sql<{ bytes: number }>`
    select (pg_current_wal_insert_lsn() - redo_lsn)::float8 as bytes from pg_control_checkpoint()`.execute(db)
  return (rows[0]?.bytes ?? 0) > LOG_MOST * 1024 * 1024
}

function isStale({ known_rows, known_pages, pages, changed }: TableRow): boolean {
  const rows = Math.max(known_rows, 0)
  return (
    changed > CHANGED_LEAST + CHANGED_SHARE * rows ||
    pages - known_pages > GROWN_PAGES + GROWN_SHARE * known_pages
  )
}

async function readTables(db: Database): Promise<readonly TableRow[]> {
  // Counts are written down about once a second. This asks for it after this statement.
  await sql`select pg_stat_force_next_flush()`.execute(db)
  const { rows } = await sql<TableRow>`
    select format('%I.%I', nspname, relname) as name, reltuples::float8 as known_rows, relpages as known_pages,
      pg_relation_size(c.oid) / current_setting('block_size')::int as pages,
      pg_stat_get_mod_since_analyze(c.oid) as changed, pg_stat_get_dead_tuples(c.oid) as dead,
      exists (
        select from pg_index join pg_class i on i.oid = indexrelid join pg_am on pg_am.oid = i.relam
        where indrelid = c.oid and amname = 'hnsw'
      ) as has_vector_index
    from pg_class c join pg_namespace n on n.oid = relnamespace
    where c.relkind = 'r' and (nspname = 'daybook' or nspname like 'pgvector\\_%')`.execute(db)
  return rows
}

/** What was done about free space. */
interface ClearedSpace {
  /** The tables that were rewritten. */
  readonly cleared: readonly string[]
  /** Those that are too large for that, so that their free space may still have erased texts. */
  readonly left: readonly string[]
}

/**
 * The largest table that is rewritten, in bytes. Everybody waits meanwhile: some 2 s.
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
 * are rewritten, and the write-ahead log begins a new file; a checkpoint deletes the old ones. (A server's
 * administrator does the same: docs/security.md.)
 *
 * Planner statistics keep values of some columns (`statistics.ts`), so they are gathered again. They are removed first,
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
