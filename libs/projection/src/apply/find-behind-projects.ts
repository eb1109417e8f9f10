import type { Database } from '@daybook/postgres/connect'
import { sql } from 'kysely'
import type { GenerationRef } from '../generations/generation-ref.ts'

/** The projects whose journal the generation has not applied, or has applied in another history. Deleted ones do not count. */
export async function findBehindProjects(
  db: Database,
  { name, generation }: GenerationRef,
): Promise<string[]> {
  const { rows } = await sql<{ project_id: string }>`
    select coalesce(head.project_id, place.project_id) as project_id from journal_heads head
    full join (
      select project_id, position, hash from positions where projection = ${name} and generation = ${generation}
    ) place on place.project_id = head.project_id
    where (coalesce(head.sequence, 0) <> coalesce(place.position, 0)
        or place.position > 0 and place.hash <> head.hash)
      and (head.project_id is not null
        or not exists (select from deleted_projects gone where gone.project_id = place.project_id))`.execute(
    db,
  )
  return rows.map((row) => row.project_id)
}
