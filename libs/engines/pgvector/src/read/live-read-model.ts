import { UnavailableError } from '@daybook/memory/errors'
import type { Database } from '@daybook/postgres/connect'
import { type Generation, liveGenerationState } from '@daybook/projection/generations/generations'
import { type GenerationTables, generationTables, PGVECTOR } from '../generation-tables.ts'
import { readWithheld, type Withheld } from './withheld.ts'

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
  const [live, withheld] = await Promise.all([liveGenerationState(db, PGVECTOR), readWithheld(db)])
  if (live === null)
    throw new UnavailableError(
      'There is no search index yet: start the projector (services/projector-pgvector) once',
    )
  if (live.unusable !== null)
    throw new UnavailableError(
      `The search index is unusable (${live.unusable}). It is being rebuilt from the journal automatically. To see the progress: daybook operations`,
    )
  const { projection, generation: number, modelId, dimension } = live
  const generation: Generation = { projection, generation: number, modelId, dimension }
  return { generation, tables: { ...generationTables(generation.generation), withheld } }
}
