import type { TextPlace } from '@daybook/embeddings/store'
import type { Database } from '@daybook/postgres/connect'
import { sql } from 'kysely'

/** Counts how many of these texts are still in work, and how many failed. */
export async function countOpenTexts(
  db: Database,
  modelId: string,
  texts: readonly TextPlace[],
): Promise<{ open: number; failed: number }> {
  const counts = { open: 0, failed: 0 }
  for (let from = 0; from < texts.length; from += 5_000) {
    const page = texts.slice(from, from + 5_000)
    const projects = page.map(({ projectId }) => projectId)
    const hashes = page.map(({ hash }) => hash.toString('hex'))
    const { rows } = await sql<{ open: number; failed: number }>`
      select count(*) filter (where last_error is null) as open, count(*) filter (where last_error is not null) as failed
      from (
        select project_id, decode(hash, 'hex') as content_hash
        from unnest(${projects}::uuid[], ${hashes}::text[]) as given(project_id, hash) offset 0
      ) given
      cross join lateral (
        select embedded_at, last_error from embeddings
        where project_id = given.project_id and model_id = ${modelId} and content_hash = given.content_hash offset 0
      ) e
      where e.embedded_at is null`.execute(db)
    counts.open += rows[0]?.open ?? 0
    counts.failed += rows[0]?.failed ?? 0
  }
  return counts
}
