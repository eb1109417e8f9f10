import { readQueueState } from '@daybook/embeddings/queue-worker'
import { countEvents } from '@daybook/journal/read/read'
import { NotFoundError, ValidationError } from '@daybook/memory/errors'
import { countIndexed } from '@daybook/pgvector/read/live-read-model'
import { type ProjectLanguage, readLanguage, setLanguage } from '@daybook/postgres/access/languages'
import { countProjects } from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import { readServerFacts } from '@daybook/postgres/inspect/server-facts'
import { VERSION } from '@daybook/runtime/version'
import { OUTER_ENGINES } from '../../checks/engines.ts'
import { describeParts, type SystemPart } from '../../checks/run-checks.ts'
import { builder } from '../builder.ts'
import { DAYBOOK, requireAdmin } from '../resolve-in-project.ts'
import { enumOfWords } from '../types/enum-of-words.ts'
import { checkProject } from './checks.ts'

interface System {
  readonly db: Database
}

const systemPartName = enumOfWords<string>('SystemPartName', {
  database: 'Postgres, with the journal and pgvector.',
  nats: 'The bus between processes.',
  ...Object.fromEntries(OUTER_ENGINES.map(({ name }) => [name, null])),
  embedder: 'Makes vectors of texts.',
})

const systemPart = builder.objectRef<SystemPart>('SystemPart')

builder.objectType(systemPart, {
  description: 'A part that Daybook works with, as this gateway sees it.',
  fields: (t) => ({
    name: t.field({ type: systemPartName, resolve: ({ name }) => name }),
    configured: t.exposeBoolean('configured'),
    reachable: t.boolean({
      description: 'Of one that is configured.',
      resolve: ({ configured, problem }) => configured && problem === null,
    }),
    version: t.exposeString('version', { nullable: true, description: 'Of the embedder: its model.' }),
    problem: t.exposeString('problem', { nullable: true }),
  }),
})

const system = builder.objectRef<System>('System')

builder.objectType(system, {
  description: 'This Daybook as a whole, over all projects.',
  fields: (t) => ({
    version: t.string({ resolve: () => VERSION }),
    projects: t.int({ complexity: 10, resolve: ({ db }) => countProjects(db) }),
    events: t.int({ complexity: 10, resolve: ({ db }) => countEvents(db) }),
    memories: t.int({
      complexity: 10,
      description: 'Memories that searches can find: without forgotten ones and those not indexed yet.',
      resolve: async ({ db }, _, { readModel }) =>
        countIndexed(db, (await readModel()).generation.generation),
    }),
    databaseBytes: t.float({
      complexity: 10,
      resolve: async ({ db }) => (await readServerFacts(db)).bytes,
    }),
    queuedTexts: t.int({
      complexity: 10,
      description: 'Texts without vectors, each counted once per project, including failed ones.',
      resolve: async ({ db }) => (await readQueueState(db)).queued,
    }),
    failedTexts: t.int({
      complexity: 10,
      description: 'Texts whose last try failed. They are tried again, less and less often.',
      resolve: async ({ db }) => (await readQueueState(db)).failed,
    }),
    parts: t.field({
      type: [systemPart],
      complexity: 50,
      resolve: ({ db }, _, { parts }) => describeParts({ ...parts, db }),
    }),
  }),
})

builder.queryField('system', (t) =>
  t.field({
    ...DAYBOOK,
    type: system,
    resolve: (_, __, context) => ({ db: requireAdmin(context) }),
  }),
)

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
