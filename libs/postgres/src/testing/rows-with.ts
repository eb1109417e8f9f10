import { sql } from 'kysely'
import { asOwner } from './as-owner.ts'
import type { TestDatabase } from './test-database.ts'

/** The rows of every table in which the text is, also in part of a column or as bytes. */
export async function rowsWith(
  database: Pick<TestDatabase, 'address' | 'db'>,
  text: string,
): Promise<string[]> {
  return asOwner(database, async (owner) => {
    await sql`set local daybook.project = '*'`.execute(owner)
    const { rows } = await sql<{ name: string }>`
      select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = relnamespace
      where relkind = 'r' and (nspname = 'daybook' or nspname like 'pgvector%') order by 1`.execute(owner)
    const found: string[] = []
    for (const { name } of rows) {
      const { rows: here } = await sql<{ row: string }>`
        select t::text as row from ${sql.raw(name)} t
        where t::text ilike ${`%${text}%`} or t::text ilike ${`%${Buffer.from(text).toString('hex')}%`}`.execute(
        owner,
      )
      found.push(...here.map(({ row }) => `${name}: ${row.slice(0, 200)}`))
    }
    return found
  })
}
