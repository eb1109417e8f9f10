import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations/generations'
import { type ProjectionStatus, readProjectStatus } from '@daybook/projection/status/project-status'
import { sql } from 'kysely'
import { generationTables } from '../generation-tables.ts'

/** How far the pgvector projection has come with a project's journal. */
export async function pgvectorStatus(
  scope: ProjectScope,
  generation: Pick<Generation, 'projection' | 'generation'>,
): Promise<ProjectionStatus> {
  const status = await readProjectStatus(scope, generation)
  // Its tables may be missing.
  if (status.status === 'unusable') return { ...status, pendingEmbeddings: 0 }
  const { rows } = await sql<{ pending: number }>`
    select count(*) as pending from ${generationTables(generation.generation).waiting}
    where project_id = ${scope.projectId}`.execute(scope.db)
  return { ...status, pendingEmbeddings: rows[0]?.pending ?? 0 }
}
