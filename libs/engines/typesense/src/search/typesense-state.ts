import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { EngineState } from '@daybook/projection/engine/search-engine'
import { sql } from 'kysely'
import { TYPESENSE, TYPESENSE_LAYOUT } from '../write/generation.ts'

interface StateRow {
  readonly generation: number
  readonly model_id: string
  readonly dimension: number
  readonly position: number
  readonly pending: number
}

/**
 * Reads the live generation's state in a project. Null before the projector's first start, and while the live generation is
 * one that this version of Daybook cannot search, which is rebuilt.
 */
export async function readTypesenseState({ db, projectId }: ProjectScope): Promise<EngineState | null> {
  const { rows } = await sql<StateRow>`
    select g.generation, g.model_id, g.dimension,
      coalesce((select position from positions p where p.projection = g.projection
        and p.generation = g.generation and p.project_id = ${projectId}), 0) as position,
      (select count(*) from typesense_pending_vectors v
        where v.generation = g.generation and v.project_id = ${projectId}) as pending
    from generations g where g.projection = ${TYPESENSE} and g.status = 'live'
      and g.layout_version = ${TYPESENSE_LAYOUT.layoutVersion}`.execute(db)
  const row = rows[0]
  if (row === undefined) return null
  const { generation, model_id: modelId, dimension, position, pending } = row
  return { generation: { projection: TYPESENSE, generation, modelId, dimension }, position, pending }
}
