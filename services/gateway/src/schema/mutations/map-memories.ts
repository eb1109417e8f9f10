import { ValidationError } from '@daybook/memory/errors'
import { mapProblem } from '../../map-problem.ts'
import { operation } from '../admin/operation.ts'
import { OperationRefusedError } from '../admin/operation-refused.ts'
import { requestFor } from '../admin/request-for.ts'
import { builder } from '../builder.ts'
import { SEARCH_COST } from '../limits.ts'

const mapMemoriesResult = builder.errorUnion('MapMemoriesResult', {
  types: [operation, ValidationError, OperationRefusedError],
  resolveType: () => 'Operation',
})

builder.mutationField('mapMemories', (t) =>
  t.field({
    type: mapMemoriesResult,
    complexity: { field: SEARCH_COST },
    description:
      'Makes the map of the project’s memories that `memoryMap` shows, in place of the last one, as an operation: 20,000 memories take about a minute. The same memories come to the same places.',
    resolve: async (_, __, context) => {
      const { db, projectId } = context.project
      const problem = await mapProblem(context)
      if (problem !== null) throw new OperationRefusedError('REFUSED', problem)
      return requestFor(db, context, {
        type: 'map-memories',
        projection: null,
        projectId,
        options: { projectId },
      })
    },
  }),
)
