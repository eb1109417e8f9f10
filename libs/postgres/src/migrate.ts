import { DaybookError } from '@daybook/memory/errors'
import { type Migration, Migrator, sql } from 'kysely'
import { requireReader } from './compatibility.ts'
import { type Database, type DatabaseAddress, openDatabase } from './connect.ts'
import { compareMigrations } from './inspect/server-facts.ts'
import { MIGRATIONS } from './migrations/index.ts'
import { prepareDatabase } from './prepare.ts'

/**
 * Brings the database to this version's tables, as the user of the address, who must own the database. Safe
 * when several processes start at once: an advisory lock lets one work while the others wait and then find
 * nothing to do. It is one transaction, so a killed migration leaves nothing behind.
 *
 * @param loginRole the role that services log in as, if that is not the owner
 * @returns the names of the migrations applied now
 * @throws DaybookError CONFIGURATION, saying what to do, if the extension, its version or a right is missing,
 * or this version is too old for the database
 */
export async function migrate(address: DatabaseAddress, loginRole: string | null = null): Promise<string[]> {
  await prepareDatabase(address, loginRole)
  const db = openDatabase({ ...address, maxConnections: 1 }, { role: null })
  try {
    await requireReader(db)
    // Must run before the migrator takes the only connection.
    const migrations = { ...(await laterMigrations(db)), ...MIGRATIONS }
    const migrator = new Migrator({
      db,
      provider: { getMigrations: () => Promise.resolve(migrations) },
      migrationTableSchema: 'daybook',
    })
    const { error, results } = await migrator.migrateToLatest()
    if (error !== undefined)
      throw new DaybookError('CONFIGURATION', `The database could not be migrated: ${String(error)}`, {
        cause: error,
      })
    return (results ?? [])
      .filter((result) => result.status === 'Success')
      .map((result) => result.migrationName)
  } finally {
    await db.destroy()
  }
}

/** Until the baseline there were 41 of them. */
const FIRST_BEFORE_BASELINE = '0001-journal'

/**
 * Migrations of a newer version that ran here. It still admits this version, or `requireReader` would have
 * refused.
 * @throws DaybookError CONFIGURATION, saying how to move, if the database is from before the baseline
 */
async function laterMigrations(db: Database): Promise<Record<string, Migration>> {
  const { rows } = await sql<{ there: boolean }>`
    select to_regclass('daybook.kysely_migration') is not null as there`.execute(db)
  if (rows[0]?.there !== true) return {}
  const { unknown } = await compareMigrations(db)
  if (unknown.includes(FIRST_BEFORE_BASELINE))
    throw new DaybookError(
      'CONFIGURATION',
      `This database is from before Daybook's first release, and its tables are others. It is left as it is. To move: with the version that made it, run  daybook export --out daybook.jsonl  – then start this version on an empty database or data folder, and run  daybook import daybook.jsonl  (docs/running.md#upgrading)`,
    )
  return Object.fromEntries(unknown.map((name) => [name, { up: () => Promise.resolve() }]))
}

/** Whether the application can query the database now; for health checks. */
export async function isReachable(db: Database): Promise<boolean> {
  try {
    await sql`select 1`.execute(db)
    return true
  } catch {
    return false
  }
}
