import { check } from '@daybook/memory/check'
import { DaybookError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { isUuid } from '@daybook/memory/id'
import { LIMITS } from '@daybook/memory/limits'
import { shortString } from '@daybook/memory/text-rules'
import { countWithheld } from '@daybook/pgvector/read/access'
import { readProjects } from '@daybook/postgres/access/projects'
import {
  beginQuarantine,
  listQuarantines,
  type Quarantine,
  releaseQuarantine,
} from '@daybook/postgres/access/quarantines'
import type { Context } from '../../context.ts'
import { builder } from '../builder.ts'
import { SEARCH_COST } from '../limits.ts'
import { ADMIN, administered, administeredProject } from '../resolve-in-project.ts'
import { project } from '../types/project.ts'
import { OperationRefusedError } from './operation-refused.ts'

const quarantine = builder.objectRef<Quarantine>('Quarantine')

builder.objectType(quarantine, {
  description:
    'A writer in quarantine. What it wrote is in no search, list, count, context or answer, and it writes nothing more. Its record stays when it is released.',
  fields: (t) => ({
    id: t.exposeID('id'),
    project: t.field({
      type: project,
      nullable: true,
      description: 'Null: all projects.',
      resolve: async ({ projectId }, _, context) =>
        projectId === null ? null : ((await readProjects(context.directory, [projectId]))[0] ?? null),
    }),
    keyIds: t.idList({
      resolve: ({ keyIds }) => [...keyIds],
      complexity: 1,
      description: 'The key, with those that it was rotated to or from. Empty if it is of an agent.',
    }),
    agent: t.exposeString('agent', { nullable: true, description: 'As in `Writer.agent`.' }),
    reason: t.exposeString('reason'),
    beganAt: t.field({ type: 'DateTime', resolve: ({ beganAt }) => beganAt }),
    beganBy: t.exposeString('beganBy', { description: 'The name of the key that asked for it.' }),
    releasedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Null while it lasts.',
      resolve: ({ releasedAt }) => releasedAt,
    }),
    releasedBy: t.exposeString('releasedBy', { nullable: true }),
    releaseReason: t.exposeString('releaseReason', { nullable: true }),
    memories: t.int({
      complexity: SEARCH_COST,
      description:
        'How many memories of the request’s project have this writer as an author now, without forgotten ones.',
      resolve: async ({ keyIds, agent }, _, context) => {
        const { tables } = await context.readModel()
        return countWithheld(context.project, tables, { keys: keyIds, agents: agent === null ? [] : [agent] })
      },
    }),
  }),
})

builder.queryField('quarantines', (t) =>
  t.field({
    ...ADMIN,
    type: [quarantine],
    description:
      'The quarantines of the request’s project and of all projects, the newest first. Those that are over are in it if asked for.',
    args: { released: t.arg.boolean({ defaultValue: false }) },
    resolve: async (_, { released }, context) => {
      const { id } = await administeredProject(context, context.project.projectId)
      return listQuarantines(context.directory, [id], { released: released === true })
    },
  }),
)

const begun = builder.objectRef<{ readonly id: string; readonly quarantine: Quarantine }>('QuarantineBegun')

builder.objectType(begun, {
  description:
    'It holds from the next request on, at every gateway; writes are refused at once by this one, after at most 2 s by others.',
  fields: (t) => ({
    id: t.exposeID('id'),
    quarantine: t.field({ type: quarantine, resolve: (one) => one.quarantine }),
  }),
})

const released = builder.objectRef<{ readonly id: string; readonly quarantine: Quarantine }>(
  'QuarantineReleased',
)

builder.objectType(released, {
  description: 'What it withheld is back, as it was.',
  fields: (t) => ({
    id: t.exposeID('id'),
    quarantine: t.field({ type: quarantine, resolve: (one) => one.quarantine }),
  }),
})

builder.mutationFields((t) => ({
  quarantineWriter: t.field({
    ...ADMIN,
    type: builder.errorUnion('QuarantineWriterResult', {
      types: [begun, ValidationError, NotFoundError, OperationRefusedError],
      resolveType: () => 'QuarantineBegun',
    }),
    description:
      'Puts a writer into quarantine: a key, or who says to be an agent. Whatever it is an author of leaves every search at once, in this project or in all, and its mutations are refused; it may still read. `releaseQuarantine` brings everything back as it was; `undo` with `writer` takes it back.',
    args: {
      key: t.arg.id({
        description:
          'The id of a key, as in `Writer.keyId`; also of a key that this Daybook does not have, in an imported journal.',
      }),
      agent: t.arg.string({
        description: 'As in `Writer.agent`. Nothing proves an agent: whoever uses another name is free.',
      }),
      reason: t.arg.string({ required: true, description: 'Readers of what is withheld see it.' }),
      allProjects: t.arg.boolean({
        defaultValue: false,
        description: 'Of a key. Needs a key with the scope ADMIN of all projects.',
      }),
    },
    resolve: async (_, { key, agent, reason, allProjects }, context) => {
      const everywhere = allProjects === true
      const target = {
        projectId: everywhere ? null : (await administeredProject(context, context.project.projectId)).id,
        ...checkTarget(key, agent),
      }
      if (everywhere && (administered(context) !== null || target.agent !== null))
        throw new ValidationError(
          'allProjects',
          target.agent === null
            ? 'may be given only by a key that runs the whole Daybook'
            : 'is for keys only: in another project, an agent of this name is another one',
        )
      return begin(context, target, check('reason', shortString(LIMITS.nameCharacters), reason))
    },
  }),
  releaseQuarantine: t.field({
    ...ADMIN,
    type: builder.errorUnion('ReleaseQuarantineResult', {
      types: [released, ValidationError, NotFoundError, OperationRefusedError],
      resolveType: () => 'QuarantineReleased',
    }),
    description: 'Ends a quarantine. Everything that it withheld is found again, as it was.',
    args: { id: t.arg.id({ required: true }), reason: t.arg.string() },
    resolve: async (_, { id, reason }, context) => {
      const found = await requireQuarantine(context, id)
      if (found.releasedAt !== null)
        throw new OperationRefusedError('REFUSED', `The quarantine was released at ${found.releasedAt}`)
      const why = reason == null ? null : check('reason', shortString(LIMITS.nameCharacters), reason)
      await releaseQuarantine(context.directory, context.access, found.id, why)
      context.parts.quarantines.forget()
      return { id: found.id, quarantine: await requireQuarantine(context, found.id) }
    },
  }),
}))

function checkTarget(key: string | null | undefined, agent: string | null | undefined) {
  if ((key == null) === (agent == null))
    throw new ValidationError('key', 'or agent must be given: one of them')
  if (key != null && !isUuid(key)) throw new ValidationError('key', 'must be the id of a key, a UUID')
  return {
    keyId: key == null ? null : key.toLowerCase(),
    agent: agent == null ? null : check('agent', shortString(LIMITS.nameCharacters), agent),
  }
}

async function begin(
  context: Context,
  target: { readonly projectId: string | null; readonly keyId: string | null; readonly agent: string | null },
  reason: string,
) {
  const lasting = await listQuarantines(
    context.directory,
    target.projectId === null ? [] : [target.projectId],
  )
  const same = lasting.find(
    ({ projectId, keyIds, agent }) =>
      projectId === target.projectId &&
      (target.keyId === null ? agent === target.agent : keyIds.includes(target.keyId)),
  )
  if (same !== undefined)
    throw new OperationRefusedError(
      'REFUSED',
      `It is in quarantine already, since ${same.beganAt} (${same.id}): release that one first`,
    )
  const id = await beginQuarantine(context.directory, context.access, target, reason)
  if (id === null)
    throw new OperationRefusedError('REFUSED', 'A key cannot put itself into quarantine: use another one')
  context.parts.quarantines.forget()
  return { id, quarantine: await requireQuarantine(context, id) }
}

/**
 * A quarantine that the asking key may end.
 * @throws NotFoundError, in the same words for one of other projects; DaybookError FORBIDDEN for one of all projects
 */
async function requireQuarantine(context: Context, id: string): Promise<Quarantine> {
  const own = administered(context)
  const all = isUuid(id) ? await listQuarantines(context.directory, own, { released: true }) : []
  const found = all.find((one) => one.id === id.toLowerCase())
  if (found === undefined) throw new NotFoundError(`The quarantine ${id.slice(0, 64)}`, 'Daybook')
  if (found.projectId === null && own !== null)
    throw new DaybookError(
      'FORBIDDEN',
      'This quarantine is of all projects: ask whoever runs the whole Daybook to release it',
    )
  return found
}
