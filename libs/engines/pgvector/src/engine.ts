import type { Engine, OpenEngine } from '@daybook/projection/engine/engine'
import { PGVECTOR } from './generation-tables.ts'
import { pgvectorStatus } from './read/live-read-model.ts'
import { PGVECTOR_LAYOUT } from './write/create-generation.ts'
import {
  type PgvectorRebuildableProjectionOptions,
  pgvectorRebuildableProjection,
} from './write/pgvector-projection.ts'

/**
 * The read model in the journal's own database. Every Daybook has it, because the content of memories is read
 * from it, whichever engine found them.
 */
export const pgvectorEngine: Engine = {
  name: PGVECTOR,
  title: 'pgvector',
  setting: null,
  layout: PGVECTOR_LAYOUT,
  isConfigured: () => true,
  open: ({ databaseUrl, indexWorkers }) =>
    openPgvector({ oneConnection: databaseUrl === undefined, indexWorkers }),
  status: pgvectorStatus,
}

/** Opens the engine for a server or for the embedded database. */
export function openPgvector(
  how: Pick<PgvectorRebuildableProjectionOptions, 'oneConnection' | 'indexWorkers'>,
): OpenEngine {
  return {
    name: PGVECTOR,
    layout: PGVECTOR_LAYOUT,
    projection: (options) => pgvectorRebuildableProjection({ ...options, ...how }),
    close() {},
  }
}
