import { ENGINES } from '@daybook/engines/engines'
import { liveGeneration } from '@daybook/projection/generations/generations'
import type { ProjectionStatus } from '@daybook/projection/status/project-status'
import { builder } from '../builder.ts'
import { projection } from '../types/projection.ts'

builder.queryField('projections', (t) =>
  t.field({
    type: [projection],
    resolve: async (_, __, { project, parts, readModel }) => {
      const states = ENGINES.map(async (engine): Promise<ProjectionStatus[]> => {
        // Nobody writes a projection that is no longer configured; it would look broken.
        if (!engine.isConfigured(parts.config)) return []
        const live = await liveGeneration(project.db, engine.name)
        if (live === null) return []
        const slot = parts.engines.find(({ name }) => name === engine.name)
        return [await engine.status(project, live, slot?.search?.isAvailable() ?? true)]
      })
      const found = (await Promise.all(states)).flat()
      // If there is no read model yet, this throws an error that says what to start.
      if (found.length === 0) await readModel()
      return found
    },
  }),
)
