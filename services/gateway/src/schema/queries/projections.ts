import { liveGeneration } from '@daybook/projection/generations'
import { pgvectorStatus } from '@daybook/read-model/projection-status'
import { TYPESENSE } from '@daybook/typesense/generation'
import { typesenseStatus } from '@daybook/typesense/status'
import { builder } from '../builder.ts'
import { projection } from '../types/projection.ts'

builder.queryField('projections', (t) =>
  t.field({
    type: [projection],
    resolve: async (_, __, { project, readModel }) => {
      const pgvector = await pgvectorStatus(project, await readModel())
      const typesense = await liveGeneration(project.db, TYPESENSE)
      return typesense === null ? [pgvector] : [pgvector, await typesenseStatus(project, typesense)]
    },
  }),
)
