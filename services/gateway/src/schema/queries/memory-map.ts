import { countForMap, readMap } from '@daybook/memory-map/store/read-map'
import { operationOf } from '@daybook/operations/read'
import { mapProblem } from '../../map-problem.ts'
import { builder } from '../builder.ts'
import { memoryMap } from '../types/memory-map.ts'

/** It reads as many memories as `facets`. */
const MAP_COST = 1_500

builder.queryField('memoryMap', (t) =>
  t.field({
    type: memoryMap,
    complexity: { field: MAP_COST },
    description:
      'The memories as points by meaning, as `mapMemories` last placed them. At most 20,000, the newest; of the others only their number is told.',
    resolve: async (_, __, context) => {
      const { project } = context
      const model = await context.readModel()
      const made = await readMap(project, model)
      const { memories, newer } = await countForMap(project, model, made?.sequence ?? 0)
      return {
        memories,
        newer,
        made: made === null ? null : { ...made, generation: model.generation },
        problem: made === null ? await mapProblem(context) : null,
        operation: await operationOf(project.db, 'map-memories', project.projectId),
      }
    },
  }),
)
