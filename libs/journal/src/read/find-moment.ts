import type { ProjectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'

/**
 * The last event of a project's journal that had been recorded at a moment; 0 before the first one, and the
 * journal's end for the future.
 *
 * Looks for it by halves, 20 lookups for a million events, because no index has the times: they grow with the
 * sequence. Where the database's clock was once set back, some moments occur twice; then it is one of the two.
 *
 * @param moment RFC 3339
 */
export async function sequenceAt({ db, projectId }: ProjectScope, moment: string): Promise<number> {
  const { rows } = await sql<{ sequence: number }>`
    with recursive halves (low, high) as (
      select 0::bigint, coalesce((select sequence from journal_heads where project_id = ${projectId}), 0)
      union all
      select case when was then middle else low end, case when was then high else middle - 1 end
      from (select low, high, (low + high + 1) / 2 as middle from halves where low < high) half cross join lateral (
        select recorded_at <= ${moment}::timestamptz as was from events
        where project_id = ${projectId} and sequence = half.middle offset 0
      ) looked
    )
    select low as sequence from halves where low = high`.execute(db)
  return rows[0]?.sequence ?? 0
}
