import type { Database } from '../connect.ts'
import { MIGRATIONS } from '../migrations/index.ts'

/** How the database's migrations compare to those of this version of Daybook. */
export interface AppliedMigrations {
  /** Migrations of this version that were not applied. */
  readonly missing: readonly string[]
  /** Applied migrations that this version does not know: a newer one has run here. */
  readonly unknown: readonly string[]
}

/** Compares the applied migrations with this version's. */
export async function compareMigrations(db: Database): Promise<AppliedMigrations> {
  const rows = await db.selectFrom('kysely_migration').select('name').orderBy('name').execute()
  const applied = new Set(rows.map(({ name }) => name))
  return {
    missing: Object.keys(MIGRATIONS).filter((name) => !applied.has(name)),
    unknown: [...applied].filter((name) => !Object.hasOwn(MIGRATIONS, name)),
  }
}
