import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import type { GenerationTables } from '../generation-tables.ts'
import { notWithheld, type Withheld } from './withheld.ts'

/** How many memories that are not forgotten these writers are authors of. It reads an index, and rows only for agents. */
export async function countWithheld(
  { db, projectId }: ProjectScope,
  { memories }: GenerationTables,
  withheld: Withheld,
): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*)::int as count from ${memories} m
    where m.project_id = ${projectId} and not m.forgotten
      and not (${sql.join([sql`true`, ...notWithheld(withheld)], sql` and `)})`.execute(db)
  return rows[0]?.count ?? 0
}
