import { type AppliedMigrations, compareMigrations } from '@daybook/postgres/inspect/applied-migrations'
import { type CheckedParts, type Finding, failed, ok, warning } from './check.ts'

/** Checks that the database has exactly the migrations of this version. */
export async function checkMigrations({ db }: CheckedParts): Promise<Finding> {
  return judgeMigrations(await compareMigrations(db))
}

/** Judges the missing and unknown migrations. */
export function judgeMigrations({ missing, unknown }: AppliedMigrations): Finding {
  if (missing.length > 0)
    return failed(
      `The database lacks migrations of this version: ${missing.join(', ')}`,
      'Restart one process of this version, as a user of DATABASE_URL who owns the database: it migrates',
    )
  if (unknown.length > 0)
    return warning(
      `A newer version of Daybook has migrated the database: ${unknown.join(', ')}`,
      'Upgrade the processes that are older (docs/operations.md, Upgrading)',
    )
  return ok('The tables are those of this version')
}
