import type { ProjectEntry, ProjectLimits } from '@daybook/postgres/access/projects'
import { builder } from '../builder.ts'

const projectLimits = builder.objectRef<ProjectLimits>('ProjectLimits')

builder.objectType(projectLimits, {
  description: 'The most that a project may hold or ask for. Null: there is no limit.',
  fields: (t) => ({
    memories: t.exposeInt('memories', { nullable: true, description: 'Memories that are not forgotten.' }),
    bytes: t.exposeFloat('bytes', { nullable: true, description: 'Bytes of events, as in `Project.bytes`.' }),
    requestsPerSecond: t.exposeInt('requestsPerSecond', {
      nullable: true,
      description:
        'Queries and mutations a second, at each gateway. After a rest, a second’s worth may come at once.',
    }),
    queuedTexts: t.exposeInt('queuedTexts', {
      nullable: true,
      description:
        'Texts that may wait for their vectors: the embedding work that the project may leave to do.',
    }),
  }),
})

/** The type `Project`. */
export const project = builder.objectRef<ProjectEntry>('Project')

builder.objectType(project, {
  description: 'A tenant: every memory, event and search belongs to exactly one.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'It stays when the project is renamed.' }),
    name: t.exposeString('name'),
    memories: t.exposeInt('memories', { description: 'Memories that are not forgotten.' }),
    bytes: t.exposeFloat('bytes', {
      description: 'The size of its events, with those of forgotten memories.',
    }),
    limits: t.field({ type: projectLimits, resolve: ({ limits }) => limits }),
    createdAt: t.field({ type: 'DateTime', resolve: ({ createdAt }) => createdAt }),
  }),
})
