import { randomUUID } from 'node:crypto'
import type { Database } from '@daybook/postgres/connect'
import { type ProjectScope, projectScope } from '@daybook/postgres/project-scope'
import { sql } from 'kysely'
import type { GenerationWriter } from './writer.ts'

/** Records memories whose documents may be older than the position, to be rewritten by any process. */
export async function noteRewrites(
  writer: GenerationWriter,
  scope: ProjectScope,
  memoryIds: Iterable<string>,
): Promise<void> {
  const noted = writer.unnoted.get(scope.projectId) ?? new Set()
  for (const memoryId of memoryIds) noted.add(memoryId)
  if (noted.size > 0) writer.unnoted.set(scope.projectId, noted)
  await saveNotes(scope.db, writer).catch((error: unknown) =>
    writer.logger.warn({ error }, 'could not record the memories to rewrite; trying again later'),
  )
}

/** Saves the records that the database could not take before. */
export async function saveNotes(db: Database, { generation, unnoted }: GenerationWriter): Promise<void> {
  for (const [projectId, memoryIds] of unnoted) {
    const ids = [...memoryIds]
    await sql`
      insert into typesense_reposts (generation, project_id, memory_id, note)
      select ${generation.generation}, ${projectId}, memory_id, ${randomUUID()} from unnest(${ids}::uuid[]) as memory_id
      on conflict (generation, project_id, memory_id) do update set note = excluded.note`.execute(
      projectScope(db, projectId).db,
    )
    for (const id of ids) memoryIds.delete(id)
    if (memoryIds.size === 0) unnoted.delete(projectId)
  }
}
