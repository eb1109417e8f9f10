import { type Kysely, sql } from 'kysely'
import { omitStatistics, removeOmitted } from '../statistics.ts'

/**
 * Planner statistics keep values of columns, and so texts that were erased since. No more are gathered of columns with
 * content, and those that were are removed. Where some may have been, the embedded database's tables are written anew once,
 * `pg_statistic` too (`embedded/clear-free-space.ts`). Compatible: a generation that the previous version builds has them
 * until it is rebuilt.
 */
export async function up(db: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ name: string }>`
    select nspname as name from pg_namespace where nspname = 'daybook' or nspname in (
      select 'pgvector_' || generation from daybook.generations where projection = 'pgvector')`.execute(db)
  for (const { name } of rows) {
    await omitStatistics(db, name)
    await removeOmitted(db, name)
    await sql`
      update daybook.free_space set erased_at = clock_timestamp() where exists (
        select from pg_class where relkind = 'r' and reltuples >= 0 and relnamespace = ${name}::regnamespace)`.execute(
      db,
    )
  }
}
