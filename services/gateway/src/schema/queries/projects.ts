import { readProjects } from '@daybook/postgres/access/projects'
import { builder } from '../builder.ts'
import { NOTHING } from '../needs.ts'
import { project } from '../types/project.ts'

builder.queryField('projects', (t) =>
  t.field({
    ...NOTHING,
    type: [project],
    description:
      'The projects that the key may use, or all for a key that runs the whole Daybook, by name. It needs no scope, and no project to be named.',
    resolve: (_, __, { access, directory }) => readProjects(directory, access.admin ? null : access.projects),
  }),
)
