import { UnavailableError } from '@daybook/memory/errors'
import type { Database, Queryable } from '@daybook/postgres/connect'
import type { ProjectScope } from '@daybook/postgres/project-scope'
import type { Generation } from '@daybook/projection/generations/generations'
import { type ProjectionStatus, readProjectStatus } from '@daybook/projection/status/project-status'
import { sql } from 'kysely'
import { type GenerationTables, generationTables, PGVECTOR } from '../generation-tables.ts'
import { type Withheld, type WithheldRow, withheldNow } from './access.ts'

/** Tables as a project's readers see them. */
export interface ReadTables extends GenerationTables {
  /** What nobody may find in them now. */
  readonly withheld: Withheld
}

/** The generation that queries read, with its tables. */
export interface LiveReadModel {
  readonly generation: Generation
  readonly tables: ReadTables
}

/**
 * Looks up the live generation. A request calls this once and reads that generation with all its statements.
 * A swap in between leaves the old generation in place, so a request never mixes two.
 * @param db bound to the project that is read: another one's quarantines do not count
 * @throws UnavailableError before the projector's first start, and while the read model is unusable and is
 *   being rebuilt
 */
export async function liveReadModel(db: Database): Promise<LiveReadModel> {
  const { rows } = await sql<LiveRow>`
    select live.generation, live.model_id as "modelId", live.dimension, live.unusable, withheld.keys, withheld.agents
    from generations live cross join (${withheldNow()}) withheld
    where live.projection = ${PGVECTOR} and live.status = 'live'`.execute(db)
  const [live] = rows
  if (live === undefined)
    throw new UnavailableError(
      'There is no search index yet: start the projector (services/projector-pgvector) once',
    )
  if (live.unusable !== null)
    throw new UnavailableError(
      `The search index is unusable (${live.unusable}). It is being rebuilt from the journal automatically. To see the progress: daybook operations`,
    )
  const { generation, modelId, dimension, keys, agents } = live
  return {
    generation: { projection: PGVECTOR, generation, modelId, dimension },
    tables: { ...generationTables(generation), withheld: { keys, agents } },
  }
}

interface LiveRow extends Omit<Generation, 'projection'>, WithheldRow {
  readonly unusable: string | null
}

/** The size of a generation's tables with their indexes, in bytes. 0 if there are none. */
export async function generationBytes(db: Queryable, generation: number): Promise<number> {
  const { rows } = await sql<{ bytes: number }>`
    select coalesce(sum(pg_total_relation_size(relation.oid)), 0)::bigint as bytes
    from pg_class relation join pg_namespace place on place.oid = relation.relnamespace
    where place.nspname = ${generationTables(generation).schema} and relation.relkind = 'r'`.execute(db)
  return rows[0]?.bytes ?? 0
}

/**
 * The number of memories, over all projects, that the generation finds by words. Forgotten ones are left out.
 * Reads one row per project.
 */
export async function countIndexed(db: Queryable, generation: number): Promise<number> {
  const { rows } = await sql<{ memories: number }>`
    select coalesce(sum(memories), 0)::bigint as memories from ${generationTables(generation).lexicalStats}`.execute(
    db,
  )
  return rows[0]?.memories ?? 0
}

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
