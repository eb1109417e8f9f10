import { pgvectorStatus } from '@daybook/read-model/projection-status'
import { builder } from '../builder.ts'
import { projection } from '../types/projection.ts'

builder.queryField('projections', (t) =>
  t.field({
    type: [projection],
    resolve: async (_, __, context) => [await pgvectorStatus(context.project, await context.readModel())],
  }),
)
