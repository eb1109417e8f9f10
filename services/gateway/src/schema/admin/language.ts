import { NotFoundError, ValidationError } from '@daybook/memory/errors'
import { type ProjectLanguage, readLanguage, setLanguage } from '@daybook/postgres/access/languages'
import { builder } from '../builder.ts'
import { DAYBOOK } from '../needs.ts'
import { requireAdmin } from '../require-admin.ts'
import { checkProject } from './check-arguments.ts'

const projectLanguage = builder.objectRef<ProjectLanguage>('ProjectLanguage').implement({
  description: 'The language of a project: which endings of words are one word, and which words say nothing.',
  fields: (t) => ({
    project: t.exposeString('project'),
    language: t.exposeString('language', {
      description:
        "Postgres' text search configuration: english (default), german, simple, … Searches use it once the projections have been rebuilt.",
    }),
    available: t.stringList({
      resolve: ({ available }) => [...available],
      description: 'Those that this database has.',
    }),
  }),
})

const PROJECT = "The name or id of a project. Default: the key's."

builder.queryField('language', (t) =>
  t.field({
    ...DAYBOOK,
    type: projectLanguage,
    description: 'The language of a project.',
    args: { project: t.arg.string({ description: PROJECT }) },
    resolve: async (_, { project }, context) => {
      const db = requireAdmin(context)
      return readLanguage(db, (await checkProject(db, project)) ?? context.project.projectId)
    },
  }),
)

builder.mutationField('setLanguage', (t) =>
  t.field({
    ...DAYBOOK,
    type: builder.errorUnion('SetLanguageResult', {
      types: [projectLanguage, ValidationError, NotFoundError],
      resolveType: () => 'ProjectLanguage',
    }),
    description:
      'Sets the language of a project. Searches go on with the old one until `reindex` has built new generations of the projections, as `daybook language` does.',
    args: {
      language: t.arg.string({ required: true }),
      project: t.arg.string({ description: PROJECT }),
    },
    resolve: async (_, { language, project }, context) => {
      const db = requireAdmin(context)
      return setLanguage(db, (await checkProject(db, project)) ?? context.project.projectId, language)
    },
  }),
)
