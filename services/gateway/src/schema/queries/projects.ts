import { readProjects } from '@daybook/postgres/access/projects'
import { builder } from '../builder.ts'
import { project } from '../types/project.ts'

builder.queryField('projects', (t) =>
  t.field({
    type: [project],
    description:
      'The projects that the key may read, or all for a key that runs the whole Daybook, by name. No project need be named to ask for them.',
    resolve: (_, __, { access, directory }) => readProjects(directory, access.admin ? null : access.projects),
  }),
)
