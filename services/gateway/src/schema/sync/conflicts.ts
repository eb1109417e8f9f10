import type { StateDiff } from '@daybook/memory/diff-versions'
import { ConflictError, LimitExceededError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { isUuid } from '@daybook/memory/id'
import {
  listConflicts,
  previewConflict,
  type Resolution,
  resolveConflict,
  type SyncConflict,
} from '@daybook/sync/branch/conflicts'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { ADMIN, administeredProject, READ } from '../resolve-in-project.ts'
import { enumOfWords } from '../types/enum-of-words.ts'
import { memoryById, memoryInterface } from '../types/memory.ts'
import { fieldChange, textPart } from '../types/memory-diff.ts'
import { checkFirst } from '../types/page.ts'

const resolution = enumOfWords<Resolution>('ConflictResolution', {
  LATEST_WINS: 'By the rule: the change made offline was made on top of the other one.',
  MINE: 'A person had the change made on top of the other one.',
  THEIRS: 'A person left it out.',
})

const preview = builder.objectRef<StateDiff>('ConflictPreview')

builder.objectType(preview, {
  description: 'What a conflict’s change would make of the memory as it is now.',
  fields: (t) => ({
    changed: t.field({
      type: [fieldChange],
      resolve: ({ changed }) => [...changed],
      description: 'The fields that would differ; none if it would change nothing any more.',
    }),
    text: t.field({
      type: [textPart],
      resolve: ({ text }) => [...text],
      description:
        'The text word by word: SAME and REMOVED make it as it is now, SAME and ADDED as it would be.',
    }),
  }),
})

const conflict = builder.objectRef<SyncConflict>('SyncConflict')

builder.objectType(conflict, {
  description:
    'A change made offline that the home refused, or that was about another version of the memory than the home had by then.',
  fields: (t) => ({
    id: t.exposeID('id'),
    memory: t.field({
      type: memoryInterface,
      nullable: true,
      resolve: ({ memoryId }, _, context) => memoryById(context, memoryId),
      description: 'As it is now; null if it is not there.',
    }),
    command: t.field({
      ...READ,
      type: 'JSON',
      resolve: ({ command }) => command,
      description: 'What was to be done.',
    }),
    preview: t.field({
      ...READ,
      type: preview,
      nullable: true,
      resolve: (one, _, { project }) => (one.resolution === null ? previewConflict(project, one) : null),
      description:
        'What MINE would change now. Null if it is decided, if the change would be refused, or if it makes a new memory.',
    }),
    code: t.exposeString('code', {
      description: 'VERSION_CONFLICT, NOT_FOUND, …: why, in the home’s words.',
    }),
    problem: t.exposeString('problem'),
    baseVersion: t.exposeInt('baseVersion', {
      nullable: true,
      description: 'The version that its writer saw.',
    }),
    homeVersion: t.exposeInt('homeVersion', {
      nullable: true,
      description: 'The version that the home had.',
    }),
    actor: t.string({
      nullable: true,
      resolve: ({ metadata }) => metadata.actor,
      description: 'Whose key gave it here.',
    }),
    givenAt: t.field({ type: 'DateTime', resolve: ({ givenAt }) => givenAt }),
    foundAt: t.field({ type: 'DateTime', resolve: ({ foundAt }) => foundAt }),
    resolution: t.field({
      type: resolution,
      nullable: true,
      resolve: (one) => one.resolution,
      description: 'Null while a person has to decide.',
    }),
    resolvedAt: t.field({ type: 'DateTime', nullable: true, resolve: ({ resolvedAt }) => resolvedAt }),
    resolvedBy: t.exposeString('resolvedBy', {
      nullable: true,
      description: 'The name of the key; null if it was the rule.',
    }),
  }),
})

builder.queryField('syncConflicts', (t) =>
  t.field({
    ...ADMIN,
    type: [conflict],
    description: 'The conflicts of the request’s project, the oldest first.',
    args: {
      first: t.arg.int({ defaultValue: 20 }),
      after: t.arg.id({ description: 'The id of the last one of the page before.' }),
      resolved: t.arg.boolean({ defaultValue: false, description: 'Also those that are resolved.' }),
    },
    complexity: ({ first }) => listCost(first),
    resolve: async (_, { first, after, resolved }, context) => {
      await administeredProject(context, context.project.projectId)
      if (after != null && !isUuid(after)) throw new ValidationError('after', 'must be the id of a conflict')
      return listConflicts(context.project, {
        limit: checkFirst(first, { fallback: 20 }),
        after: after ?? null,
        resolved: resolved === true,
      })
    },
  }),
)

builder.mutationField('resolveSyncConflict', (t) =>
  t.field({
    ...ADMIN,
    type: builder.errorUnion('ResolveSyncConflictResult', {
      types: [conflict, ValidationError, ConflictError, NotFoundError, LimitExceededError],
      resolveType: () => 'SyncConflict',
    }),
    description: 'Decides a conflict of the request’s project.',
    args: {
      id: t.arg.id({ required: true }),
      resolution: t.arg({ type: resolution, required: true, description: 'MINE or THEIRS.' }),
    },
    resolve: async (_, { id, resolution: decided }, context) => {
      await administeredProject(context, context.project.projectId)
      if (decided === 'LATEST_WINS') throw new ValidationError('resolution', 'must be MINE or THEIRS')
      const found = isUuid(id)
        ? await resolveConflict(
            context.project,
            context.parts.writer,
            id.toLowerCase(),
            decided,
            context.access.keyName,
          )
        : null
      if (found === null) throw new NotFoundError(`A conflict ${id.slice(0, 64)} that waits`)
      context.parts.sync?.look()
      return found
    },
  }),
)
