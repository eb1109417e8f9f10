import type { Database } from '../connect.ts'
import { MIGRATIONS } from '../migrations/index.ts'

/** How the database's tables stand to this version of Daybook. */
export interface AppliedMigrations {
  /** This version's that were not applied. */
  readonly missing: readonly string[]
  /** Applied ones that this version does not know: a newer one has started here. */
  readonly unknown: readonly string[]
}

export async function compareMigrations(db: Database): Promise<AppliedMigrations> {
  const rows = await db.selectFrom('kysely_migration').select('name').orderBy('name').execute()
  const applied = new Set(rows.map(({ name }) => name))
  return {
    missing: Object.keys(MIGRATIONS).filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !Object.hasOwn(MIGRATIONS, name)),
  }
}
