import { UnavailableError } from '@daybook/memory/errors'
import type { Database } from '@daybook/postgres/connect'
import { type Generation, liveGeneration } from '@daybook/projection/generations'
import { type GenerationTables, generationTables, PGVECTOR } from './generation-tables.ts'

/** The generation that queries read, with its tables. */
export interface LiveReadModel {
  readonly generation: Generation
  readonly tables: GenerationTables
}

/**
 * Looks up which generation is live. One query through the switch, then every statement of a request reads that same
 * generation: a swap in between leaves the old one standing, so the request is never answered from a mixture.
 * @throws UnavailableError before the projector's first start.
 */
export async function liveReadModel(db: Database): Promise<LiveReadModel> {
  const generation = await liveGeneration(db, PGVECTOR)
  if (generation === null)
    throw new UnavailableError(
      'There is no search index yet: start the projector (services/projector-pgvector) once',
    )
  return { generation, tables: generationTables(generation.generation) }
}
