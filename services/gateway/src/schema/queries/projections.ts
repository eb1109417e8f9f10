import { liveEngines } from '../../live-engines.ts'
import { builder } from '../builder.ts'
import { projection } from '../types/projection.ts'

builder.queryField('projections', (t) =>
  t.field({
    type: [projection],
    resolve: async (_, __, { project, parts, readModel }) => {
      const found = await liveEngines(project.db, parts.config)
      // If there is no read model yet, this throws an error that says what to start.
      if (found.length === 0) await readModel()
      return Promise.all(
        found.map(({ engine, live }) => {
          const slot = parts.engines.find(({ name }) => name === engine.name)
          return engine.status(project, live, slot?.search?.isAvailable() ?? true)
        }),
      )
    },
  }),
)
