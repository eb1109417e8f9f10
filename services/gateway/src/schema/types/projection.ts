import type { ProjectionStatus } from '@daybook/projection/status/project-status'
import { builder } from '../builder.ts'

export const projection = builder.objectRef<ProjectionStatus>('Projection')

builder.objectType(projection, {
  description: 'A read model written from the journal, as far as it has come with the project of the key.',
  fields: (t) => ({
    name: t.exposeString('name'),
    generation: t.exposeInt('generation'),
    position: t.exposeInt('position', { description: 'The last sequence applied.' }),
    head: t.exposeInt('head', { description: "The journal's last sequence." }),
    lag: t.exposeInt('lag', {
      description:
        "Events still to be applied; below 0 where it is beyond the journal's end, which is diverged.",
    }),
    pendingEmbeddings: t.exposeInt('pendingEmbeddings', {
      description: 'Memories found by words already but not by meaning yet.',
    }),
    parked: t.exposeInt('parked', { description: 'Events that could not be applied.' }),
    status: t.exposeString('status', {
      description:
        'live, rebuilding (another generation is being made beside it), stopped (behind, and still for half a minute), diverged (it has applied events that the journal has lost, and goes back to the last one that both have), unreachable or unusable (its tables are missing or of another version: it is made anew by itself)',
    }),
  }),
})
