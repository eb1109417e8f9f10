import type { ProjectEntry } from '@daybook/postgres/access/projects'
import { builder } from '../builder.ts'

/** The type `Project`. */
export const project = builder.objectRef<ProjectEntry>('Project')

builder.objectType(project, {
  description: 'A tenant: every memory, event and search belongs to exactly one.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'It stays when the project is renamed.' }),
    name: t.exposeString('name'),
    createdAt: t.field({ type: 'DateTime', resolve: ({ createdAt }) => createdAt }),
  }),
})
