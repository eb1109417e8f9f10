import type { Database } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { removeRows } from '@daybook/postgres/remove-rows'
import { sql } from 'kysely'

/** Rows per statement; with their vectors, texts take the most. */
const ROWS = 500

/** What processes keep about a project beside the journal and the projections. */
const TABLES = [
  'embeddings',
  'erased_texts',
  'memory_access',
  'memory_maps',
  'parked_events',
  'checkpoints',
  'typesense_pending_vectors',
  'typesense_reposts',
  'positions',
  'self_checks',
] as const

/**
 * Removes everything about a deleted project that is neither in the journal nor in a projection: the embedding
 * store with its queue, parked events, and what processes keep for themselves. Call it after the projections.
 * @returns how many rows held something of the project's memories
 */
export async function removeRecords(scope: ProjectScope, signal: AbortSignal): Promise<number> {
  let removed = 0
  for (const table of TABLES) removed += await removeRows(scope, sql.table(table), { atOnce: ROWS, signal })
  return removed
}

/**
 * Removes the project's part from the records of ended operations: their options have filters, and their results
 * titles and names.
 * @param but the operation that deletes the project
 */
export async function removeOperations(db: Database, projectId: string, but: string): Promise<void> {
  await sql`
    delete from operations where id <> ${but} and status not in ('queued', 'running')
      and (project_id = ${projectId} or options->>'projectId' = ${projectId}) and type <> 'delete-project'`.execute(
    db,
  )
  const about = JSON.stringify([{ projectId }])
  await sql`
    update operations set result = jsonb_set(result, '{projects}', (
      select coalesce(jsonb_agg(one), '[]') from jsonb_array_elements(result->'projects') as one
      where one->>'projectId' <> ${projectId}))
    where result->'projects' @> ${about}::jsonb`.execute(db)
}

/** The ids of running operations that began before the project was deleted, so that they may still write it. */
export async function olderOperations(db: Database, projectId: string): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    select o.id from operations o, deleted_projects d
    where d.project_id = ${projectId} and o.status = 'running' and o.type <> 'delete-project'
      and o.started_at < d.requested_at and coalesce(o.project_id, d.project_id) = d.project_id`.execute(db)
  return rows.map(({ id }) => id)
}
