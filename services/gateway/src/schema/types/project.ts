import { check } from '@daybook/memory/check'
import { ConflictError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { isUuid } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { shortString } from '@daybook/memory/text-rules'
import {
  createProject,
  type ProjectEntry,
  type ProjectLimits,
  readProjects,
  renameProject,
  setLimits,
} from '@daybook/postgres/access/projects'
import type { Database } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'
import { checkProject } from '../admin/checks.ts'
import { builder } from '../builder.ts'
import { DAYBOOK, NOTHING, requireAdmin } from '../resolve-in-project.ts'

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

builder.queryField('projects', (t) =>
  t.field({
    ...NOTHING,
    type: [project],
    description:
      'The projects that the key may use, or all for a key that runs the whole Daybook, by name. It needs no scope, and no project to be named.',
    resolve: (_, __, { access, directory }) => readProjects(directory, access.admin ? null : access.projects),
  }),
)

const created = builder.objectRef<ProjectEntry>('CreatedProject')

builder.objectType(created, {
  description: 'The project as it is now.',
  fields: (t) => ({ project: t.field({ type: project, resolve: (one) => one }) }),
})

const projectResult = builder.errorUnion('ProjectResult', {
  types: [created, ValidationError, NotFoundError, ConflictError],
  resolveType: () => 'CreatedProject',
})

const limitsInput = builder.inputType('ProjectLimitsInput', {
  description: 'A limit that is not given stays as it is; null removes it.',
  fields: (t) => ({
    memories: t.int(),
    bytes: t.float(),
    requestsPerSecond: t.int(),
    queuedTexts: t.int(),
  }),
})

const ID = { required: true, description: 'The project’s id or name.' } as const

builder.mutationFields((t) => ({
  createProject: t.field({
    ...DAYBOOK,
    type: projectResult,
    description: 'Makes an empty project. Then `createKey` makes a key that opens it.',
    args: { name: t.arg.string({ required: true }), limits: t.arg({ type: limitsInput }) },
    resolve: async (_, { name, limits }, context) => {
      const db = requireAdmin(context)
      const [wanted, most] = [checkName(name), checkLimits(limits ?? {})]
      const id = await createProject(db, wanted)
      if (id === null) throw taken(wanted)
      await setLimits(projectScope(db, id), most)
      return requireProject(db, id)
    },
  }),
  renameProject: t.field({
    ...DAYBOOK,
    type: projectResult,
    description: 'Gives a project another name. Its id stays, and keys go on to open it.',
    args: { id: t.arg.id(ID), name: t.arg.string({ required: true }) },
    resolve: async (_, { id, name }, context) => {
      const db = requireAdmin(context)
      const wanted = checkName(name)
      const projectId = (await checkProject(db, id)) as string
      if (!(await renameProject(projectScope(db, projectId), wanted))) throw taken(wanted)
      context.parts.authenticate.forget()
      return requireProject(db, projectId)
    },
  }),
  setProjectLimits: t.field({
    ...DAYBOOK,
    type: projectResult,
    description:
      'Sets what a project may hold and ask for. What it holds already stays, even where that is more. A limit of requests or of texts counts after at most 2 s.',
    args: { id: t.arg.id(ID), limits: t.arg({ type: limitsInput, required: true }) },
    resolve: async (_, { id, limits }, context) => {
      const db = requireAdmin(context)
      const most = checkLimits(limits)
      const projectId = (await checkProject(db, id)) as string
      await setLimits(projectScope(db, projectId), most)
      context.parts.limits.forget()
      return requireProject(db, projectId)
    },
  }),
}))

async function requireProject(db: Database, id: string): Promise<ProjectEntry> {
  const [found] = await readProjects(db, [id])
  if (found === undefined) throw new NotFoundError(`The project "${id}"`, 'Daybook')
  return found
}

const taken = (name: string) =>
  new ConflictError('NAME_TAKEN', `There is a project "${name}" already: choose another name`, null)

function checkName(name: string): string {
  check('name', shortString(LIMITS.nameCharacters), name)
  if (name !== name.trim()) throw new ValidationError('name', 'must not begin or end with white space')
  if (/\p{Cc}/u.test(name))
    throw new ValidationError('name', 'must not hold line breaks or other control characters')
  // Where a name or an id may stand, the name wins: it would stand in for another project.
  if (isUuid(name)) throw new ValidationError('name', 'must not look like an id')
  return name
}

/** Postgres keeps these in 32 bits, as GraphQL does its integers. Bytes are exact up to 2^53. */
function checkLimits(given: typeof limitsInput.$inferInput): Partial<ProjectLimits> {
  const least = { memories: 0, bytes: 0, requestsPerSecond: 1, queuedTexts: 0 }
  for (const name of Object.keys(least) as (keyof typeof least)[]) {
    const value = given[name]
    if (value != null && (value < least[name] || !Number.isSafeInteger(value)))
      throw new ValidationError(
        `limits.${name}`,
        `must be a whole number of at least ${least[name]}, or null for no limit`,
      )
  }
  return given as Partial<ProjectLimits>
}
