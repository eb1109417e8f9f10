import { PROJECTIONS } from '@daybook/engines/engines'
import type { ProjectionStatus } from '@daybook/projection/status/project-status'
import { liveEngines } from '../../open-search-engines.ts'
import { builder } from '../builder.ts'
import { enumOfWords } from './enum-of-words.ts'

/** The type `Projection`. */
export const projection = builder.objectRef<ProjectionStatus>('Projection')

builder.objectType(projection, {
  description: 'A read model made from the journal, and its progress with the key’s project.',
  fields: (t) => ({
    name: t.exposeString('name'),
    generation: t.exposeInt('generation'),
    position: t.exposeInt('position', { description: 'The last sequence applied.' }),
    head: t.exposeInt('head', { description: "The journal's last sequence." }),
    lag: t.exposeInt('lag', {
      description:
        "Events still to be applied; negative if the position is beyond the journal's end, that is, diverged.",
    }),
    pendingEmbeddings: t.exposeInt('pendingEmbeddings', {
      description: 'Memories found by words already but not by meaning yet.',
    }),
    parked: t.exposeInt('parked', { description: 'Events that could not be applied.' }),
    status: t.exposeString('status', {
      description:
        'live; rebuilding (a new generation is being built beside it); stopped (behind, and without progress for half a minute); diverged (it has applied events that the journal has lost, and goes back to the last common one); unreachable; or unusable (its tables are missing or have another version, and it is being rebuilt)',
    }),
  }),
})

/**
 * The enum of projections. Its values are plain strings, because the libraries do not fix the set of
 * projections.
 */
export const projectionName = enumOfWords<string>('ProjectionName', PROJECTIONS)

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
