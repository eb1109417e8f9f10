import { readJournal } from '@daybook/journal/read/read'
import { NotFoundError, ValidationError } from '@daybook/memory/errors'
import { projectScope } from '@daybook/postgres/project-scope'
import { dropParked, listParked, type ParkedRow } from '@daybook/projection/apply/parked-events'
import { liveGeneration } from '@daybook/projection/generations/generations'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { DAYBOOK, READ, requireAdmin } from '../resolve-in-project.ts'
import { event } from '../types/event.ts'
import { checkFirst } from '../types/page.ts'
import { projectionName } from '../types/projection.ts'
import { checkProject } from './checks.ts'

/** The type `ParkedEvent`. */
export const parkedEvent = builder.objectRef<ParkedRow & { readonly projection: string }>('ParkedEvent')

builder.objectType(parkedEvent, {
  description: 'An event that a projection could not apply. Later events of its memory wait behind it.',
  fields: (t) => ({
    projection: t.field({ type: projectionName, resolve: ({ projection }) => projection }),
    generation: t.exposeInt('generation'),
    projectId: t.exposeID('projectId'),
    project: t.exposeString('project', { description: 'Its name.' }),
    sequence: t.exposeInt('sequence'),
    memoryId: t.exposeID('memoryId'),
    error: t.exposeString('error'),
    attempts: t.exposeInt('attempts'),
    parkedAt: t.field({ type: 'DateTime', resolve: (one) => one.parkedAt }),
    droppedAt: t.field({ type: 'DateTime', nullable: true, resolve: (one) => one.droppedAt }),
    event: t.field({
      ...READ,
      type: event,
      nullable: true,
      complexity: 5,
      description: 'The event in the journal.',
      resolve: async ({ projectId, sequence }, _, context) => {
        const scope = projectScope(requireAdmin(context), projectId)
        const [record] = await readJournal(scope, { after: sequence - 1, limit: 1 })
        return record ?? null
      },
    }),
  }),
})

builder.queryField('parkedEvents', (t) =>
  t.field({
    ...DAYBOOK,
    type: [parkedEvent],
    description: 'The parked events of the live generation, by sequence.',
    args: {
      projection: t.arg({ type: projectionName, required: true }),
      project: t.arg.string({ description: 'The name or id of a project. Default: all projects.' }),
      sequence: t.arg.int({ description: 'Only the event at this sequence, in each project.' }),
      first: t.arg.int({ defaultValue: 50 }),
    },
    complexity: ({ first }) => listCost(first),
    resolve: async (_, { projection, project, sequence, first }, context) => {
      const db = requireAdmin(context)
      const limit = checkFirst(first, { fallback: 50 })
      const live = await liveGeneration(db, projection)
      if (live === null) return []
      const place = { name: projection, generation: live.generation }
      const projectId = await checkProject(db, project)
      const rows = await listParked(db, place, { projectId, sequence: sequence ?? null, first: limit })
      return rows.map((row) => ({ projection, ...row }))
    },
  }),
)

const dropped = builder.objectRef<{ readonly sequence: number }>('ParkedEventDropped')

builder.objectType(dropped, {
  description: 'The event is skipped for good. Retry the events that wait behind it.',
  fields: (t) => ({ sequence: t.exposeInt('sequence') }),
})

const dropResult = builder.errorUnion('DropParkedResult', {
  types: [dropped, ValidationError, NotFoundError],
  resolveType: () => 'ParkedEventDropped',
})

builder.mutationField('dropParked', (t) =>
  t.field({
    ...DAYBOOK,
    type: dropResult,
    description:
      'Skips a parked event for good: the projection shows the memory without it. The journal keeps the event, and a rebuild tries it again.',
    args: {
      projection: t.arg({ type: projectionName, required: true }),
      project: t.arg.string({ description: 'The name or id of a project. Default: the key’s own.' }),
      sequence: t.arg.int({ required: true }),
    },
    resolve: async (_, { projection, project, sequence }, context) => {
      const db = requireAdmin(context)
      const projectId = (await checkProject(db, project)) ?? context.project.projectId
      const live = await liveGeneration(db, projection)
      const place = { name: projection, generation: live?.generation ?? 0 }
      if (!(await dropParked(projectScope(db, projectId), place, sequence)))
        throw new NotFoundError(`A parked event ${sequence} of ${projection}`)
      return { sequence }
    },
  }),
)
