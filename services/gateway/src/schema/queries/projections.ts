import { generationTables, PGVECTOR } from '@daybook/pgvector/generation-tables'
import { pgvectorStatus } from '@daybook/pgvector/read/projection-status'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { typesenseStatus } from '@daybook/typesense/read/status'
import { TYPESENSE } from '@daybook/typesense/write/generation'
import { builder } from '../builder.ts'
import { projection } from '../types/projection.ts'

builder.queryField('projections', (t) =>
  t.field({
    type: [projection],
    resolve: async (_, __, { project, parts, readModel }) => {
      const live = await liveGeneration(project.db, PGVECTOR)
      // Of one that is unusable there is a status, and nothing to be read.
      const pgvector = await pgvectorStatus(
        project,
        live === null ? await readModel() : { generation: live, tables: generationTables(live.generation) },
      )
      // One that is no longer configured is written no more, and would look broken.
      const typesense = parts.typesense === null ? null : await liveGeneration(project.db, TYPESENSE)
      if (typesense === null) return [pgvector]
      const reachable = parts.typesense?.isAvailable() ?? false
      return [pgvector, await typesenseStatus(project, typesense, reachable)]
    },
  }),
)
