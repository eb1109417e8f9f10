import { readHead } from '@daybook/journal/read'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import { countParked } from '@daybook/projection/parked-events'
import { readPosition } from '@daybook/projection/positions'
import { sql } from 'kysely'
import { PGVECTOR } from './generation-tables.ts'
import type { LiveReadModel } from './live-read-model.ts'

/** How far a projection has come with one project's journal. */
export interface ProjectionStatus {
  readonly name: string
  readonly generation: number
  readonly position: number
  readonly head: number
  readonly lag: number
  /** Memories that are found by words already but not by meaning yet. */
  readonly pendingEmbeddings: number
  readonly parked: number
  readonly status: 'live'
}

export async function pgvectorStatus(
  scope: ProjectScope,
  { generation, tables }: LiveReadModel,
): Promise<ProjectionStatus> {
  const place = { name: PGVECTOR, generation: generation.generation }
  const position = await readPosition(scope.db, place, scope.projectId)
  const head = await readHead(scope)
  const { rows } = await sql<{ pending: number }>`
    select count(*) as pending from ${tables.memories}
    where project_id = ${scope.projectId} and vector_pending`.execute(scope.db)
  return {
    ...place,
    position,
    head,
    lag: Math.max(0, head - position),
    pendingEmbeddings: rows[0]?.pending ?? 0,
    parked: await countParked(scope, place),
    status: 'live',
  }
}
