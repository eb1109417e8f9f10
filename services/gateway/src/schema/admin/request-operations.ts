import { findModel, unknownModel } from '@daybook/embeddings/models'
import { PROJECTIONS } from '@daybook/engines/engines'
import { readHead } from '@daybook/journal/read/read'
import { DaybookError, NotFoundError, ValidationError } from '@daybook/memory/errors'
import { isUuid } from '@daybook/memory/id'
import type { Operation } from '@daybook/operations/operation'
import { cancelOperation, readOperation } from '@daybook/operations/read'
import { type OperationRequest, operationOn, requestOperation } from '@daybook/operations/request'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { generationBytes } from '@daybook/pgvector/read/live-read-model'
import type { Database } from '@daybook/postgres/connect'
import { projectScope } from '@daybook/postgres/project-scope'
import {
  describeGeneration,
  type GenerationState,
  type GenerationStatus,
  listGenerations,
  moveGeneration,
} from '@daybook/projection/generations/generations'
import { swapGenerations } from '@daybook/projection/generations/swap-generations'
import type { Context } from '../../context.ts'
import { builder } from '../builder.ts'
import { requireMemoryId } from '../mutations/remember.ts'
import { DAYBOOK, operationAccess, requireAdmin } from '../resolve-in-project.ts'
import { enumOfWords } from '../types/enum-of-words.ts'
import { memoryKind } from '../types/memory.ts'
import { projectionName } from '../types/projection.ts'
import { checkProject } from './checks.ts'
import { OperationRefusedError } from './operation-refused.ts'
import { operation } from './operations.ts'

const operationResult = builder.errorUnion('OperationResult', {
  types: [operation, ValidationError, NotFoundError, OperationRefusedError],
  resolveType: () => 'Operation',
})

const request = (context: Context, asked: AskedOperation): Promise<Operation> =>
  requestFor(requireAdmin(context), context, asked)

const PLACE = /^(?<sequence>\d{1,15}):(?<hash>[\da-f]{64})$/iu

/** Parses `<sequence>:<hash>`. @throws ValidationError */
function notedPlace(text: string): { sequence: number; hash: string } {
  const { sequence, hash } = PLACE.exec(text)?.groups ?? {}
  if (sequence === undefined || hash === undefined)
    throw new ValidationError('from', 'must be <sequence>:<hash>, the hash in 64 hexadecimal digits')
  return { sequence: Number(sequence), hash: hash.toLowerCase() }
}

const PROJECT = 'The name or id of a project. Default: all projects.'

type MutationFields = Parameters<Parameters<typeof builder.mutationFields>[0]>[0]

/** The arguments of a mutation on one projection. */
const onProjection = (t: MutationFields) => ({
  projection: t.arg({ type: projectionName, required: true }),
  project: t.arg.string({ description: PROJECT }),
})

builder.mutationFields((t) => ({
  reindex: t.field({
    ...DAYBOOK,
    type: operationResult,
    description:
      'Builds a new generation of a projection from the journal, beside the live one, and swaps it in. With `kinds` or `project` it rewrites only those memories, in the live generation.',
    args: {
      projection: t.arg({ type: projectionName, required: true }),
      model: t.arg.string({ description: 'The embedding model. Default: the live generation’s.' }),
      regenerateEmbeddings: t.arg.boolean({
        defaultValue: false,
        description:
          'Makes vectors again that the embedding store has: all, or those of `kinds` and `project`. Until then, searches use the old ones.',
      }),
      kinds: t.arg({ type: [memoryKind] }),
      project: t.arg.string({ description: `${PROJECT} Its parked events are tried again.` }),
      acceptParked: t.arg.boolean({
        defaultValue: false,
        description:
          'Makes the new generation live even if it could not apply events that the live one has applied.',
      }),
    },
    resolve: async (
      _,
      { projection, model, regenerateEmbeddings, kinds, project, acceptParked },
      context,
    ) => {
      const db = requireAdmin(context)
      if (model != null && findModel(model) === null) throw new ValidationError('model', unknownModel(model))
      if (kinds?.length === 0) throw new ValidationError('kinds', 'must name at least one kind')
      const inPlace = kinds != null || project != null
      if (inPlace && model != null)
        throw new ValidationError('model', 'needs a whole new generation: leave kinds and project out')
      return request(context, {
        type: 'reindex',
        projection,
        options: {
          model: model ?? null,
          regenerateEmbeddings: regenerateEmbeddings ?? false,
          kinds: kinds ?? null,
          projectId: await checkProject(db, project),
          acceptParked: acceptParked ?? false,
        },
      })
    },
  }),
  verify: t.field({
    ...DAYBOOK,
    type: operationResult,
    description: 'Compares a projection with the journal, memory by memory.',
    args: {
      ...onProjection(t),
      incremental: t.arg.boolean({
        defaultValue: false,
        description: 'Only what has changed since the last verification that found everything right.',
      }),
      repair: t.arg.boolean({ defaultValue: false, description: 'Rewrites memories that differ.' }),
    },
    resolve: async (_, { projection, project, incremental, repair }, context) =>
      request(context, {
        type: 'verify',
        projection,
        options: {
          projectId: await checkProject(requireAdmin(context), project),
          incremental: incremental ?? false,
          repair: repair ?? false,
        },
      }),
  }),
  verifyJournal: t.field({
    ...DAYBOOK,
    type: operationResult,
    description: 'Checks every event against the hash chain of its journal.',
    args: {
      project: t.arg.string({ description: PROJECT }),
      from: t.arg.string({
        description:
          'A place in the project’s journal that was noted before, as `<sequence>:<hash>`. Its event must still have that hash.',
      }),
    },
    resolve: async (_, { project, from }, context) => {
      const db = requireAdmin(context)
      const noted = from == null ? null : notedPlace(from)
      if (noted !== null && project == null)
        throw new ValidationError('project', 'is needed with from: a hash is of one journal')
      return request(context, {
        type: 'verify-journal',
        projection: null,
        options: { projectId: await checkProject(db, project), noted },
      })
    },
  }),
  replay: t.field({
    ...DAYBOOK,
    type: operationResult,
    description:
      'Sends a range of a project’s journal again: to one projection, or to all listeners on the bus.',
    args: {
      project: t.arg.string({ description: 'The name or id of a project. Default: the key’s own.' }),
      projection: t.arg({ type: projectionName }),
      from: t.arg.int({ required: true }),
      to: t.arg.int({ description: 'The last sequence. Default: the journal’s end.' }),
    },
    resolve: async (_, { project, projection, from, to }, context) => {
      const db = requireAdmin(context)
      const projectId = (await checkProject(db, project)) ?? context.project.projectId
      const head = await readHead(projectScope(db, projectId))
      const last = to ?? head
      if (from < 1) throw new ValidationError('from', 'must be 1 or more')
      if (last > head) throw new ValidationError('to', `must be at most ${head}, where the journal ends`)
      if (last < from) throw new ValidationError('to', `must be ${from} or more`)
      return request(context, {
        type: 'replay',
        projection: projection ?? null,
        options: { projectId, from, to: last },
      })
    },
  }),
  backfill: t.field({
    ...DAYBOOK,
    type: operationResult,
    description: 'Makes the vectors that memories lack, including those that failed before.',
    args: {
      ...onProjection(t),
    },
    resolve: async (_, { projection, project }, context) =>
      request(context, {
        type: 'backfill',
        projection,
        options: { projectId: await checkProject(requireAdmin(context), project) },
      }),
  }),
  retryParked: t.field({
    ...DAYBOOK,
    type: operationResult,
    description: 'Tries to apply parked events again.',
    args: {
      ...onProjection(t),
      memoryIds: t.arg.idList({ description: 'Only these memories. Default: all with parked events.' }),
    },
    resolve: async (_, { projection, project, memoryIds }, context) =>
      request(context, {
        type: 'retry-parked',
        projection,
        options: {
          projectId: await checkProject(requireAdmin(context), project),
          memoryIds: memoryIds?.map(requireMemoryId) ?? null,
        },
      }),
  }),
  cancelOperation: t.field({
    type: operationResult,
    description: 'Cancels an operation, which then cleans up. One that has ended stays as it is.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_, { id }, context) => {
      const { db, projectId } = operationAccess(context)
      if (!isUuid(id)) throw new NotFoundError(`The operation ${id.slice(0, 64)}`, 'Daybook')
      if ((await readOperation(db, id, projectId))?.type === 'delete-project')
        throw new OperationRefusedError(
          'REFUSED',
          'The project is deleted already, and removing what it held goes on until nothing is left: that cannot be cancelled',
        )
      return cancelOperation(db, id, projectId)
    },
  }),
}))

type OperationInput<Each> = Each extends OperationRequest ? Omit<Each, 'requestedBy'> : never

/** An operation that a request asks for. */
type AskedOperation = OperationInput<OperationRequest>

/**
 * Queues an operation for the request's key.
 * @throws OperationRefusedError BUSY
 */
export async function requestFor(
  db: Database,
  { metadata }: Pick<Context, 'metadata'>,
  asked: AskedOperation,
): Promise<Operation> {
  try {
    return await requestOperation(db, { ...asked, requestedBy: metadata.actor })
  } catch (error) {
    if (error instanceof DaybookError && error.code === 'BUSY')
      throw new OperationRefusedError('BUSY', error.message)
    throw error
  }
}

const generationStatus = enumOfWords<GenerationStatus>('GenerationStatus', {
  building: 'A rebuild loads it from the journal.',
  following: 'It is loaded, and catches up with the journal before it is swapped in.',
  live: 'Searches read it.',
  old: 'It was live before and is kept up to date for a rollback.',
  dropping: 'It is being deleted.',
})

/** The type `Generation`. */
const generation = builder.objectRef<GenerationState>('Generation')

builder.objectType(generation, {
  description:
    'One physical copy of a projection. One is live; an old one is kept up to date for a rollback.',
  fields: (t) => ({
    projection: t.field({ type: projectionName, resolve: ({ projection }) => projection }),
    generation: t.exposeInt('generation'),
    status: t.field({ type: generationStatus, resolve: ({ status }) => status }),
    model: t.exposeString('modelId', { description: 'The embedding model whose vectors it holds.' }),
    dimension: t.exposeInt('dimension'),
    createdAt: t.field({ type: 'DateTime', resolve: (one) => one.createdAt }),
    retiredAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: (one) => one.retiredAt,
      description: 'When another generation took its place.',
    }),
    lag: t.int({
      complexity: 10,
      resolve: async (one, _, context) => (await describeGeneration(requireAdmin(context), one)).lag,
      description: 'Events of all projects that it has not applied yet.',
    }),
    parked: t.int({
      complexity: 10,
      resolve: async (one, _, context) => (await describeGeneration(requireAdmin(context), one)).parked,
    }),
    bytes: t.float({
      nullable: true,
      complexity: 10,
      description: 'Its size in the database, with indexes; null if it is not in the database.',
      resolve: ({ projection, generation: number }, _, context) =>
        projection === PGVECTOR ? generationBytes(requireAdmin(context), number) : null,
    }),
  }),
})

const generationResult = builder.errorUnion('GenerationResult', {
  types: [generation, ValidationError, NotFoundError, OperationRefusedError],
  resolveType: () => 'Generation',
})

builder.queryField('generations', (t) =>
  t.field({
    ...DAYBOOK,
    type: [generation],
    args: { projection: t.arg({ type: projectionName }) },
    resolve: async (_, { projection }, context) => {
      const db = requireAdmin(context)
      const names = projection == null ? PROJECTIONS : [projection]
      return (await Promise.all(names.map((name) => listGenerations(db, name)))).flat()
    },
  }),
)

builder.mutationFields((t) => ({
  rollback: t.field({
    ...DAYBOOK,
    type: generationResult,
    description: 'Makes the previous generation live again, at once.',
    args: { projection: t.arg({ type: projectionName, required: true }) },
    resolve: async (_, { projection }, context) => {
      const db = requireAdmin(context)
      await requireIdle(context, projection)
      const [last] = (await listGenerations(db, projection))
        .filter(({ status }) => status === 'old')
        .toSorted((a, b) => (b.retiredAt ?? '').localeCompare(a.retiredAt ?? ''))
      if (last === undefined) throw new NotFoundError(`An old generation of ${projection}`, 'Daybook')
      // A rollback asks for that generation as it is, parked events included.
      if ((await swapGenerations(db, last, { acceptParked: true })) !== 'swapped')
        throw new OperationRefusedError('REFUSED', `Generation ${last.generation} is being dropped`)
      return { ...last, status: 'live' as const, retiredAt: null }
    },
  }),
  dropGeneration: t.field({
    ...DAYBOOK,
    type: generationResult,
    description:
      'Deletes an old generation for good, within some seconds. A rollback to it is then impossible.',
    args: {
      projection: t.arg({ type: projectionName, required: true }),
      generation: t.arg.int({ required: true }),
    },
    resolve: async (_, { projection, generation: number }, context) => {
      const db = requireAdmin(context)
      const found = (await listGenerations(db, projection)).find((one) => one.generation === number)
      if (found === undefined) throw new NotFoundError(`Generation ${number} of ${projection}`, 'Daybook')
      if (found.status !== 'dropping' && !(await moveGeneration(db, found, ['old'], 'dropping')))
        throw new OperationRefusedError(
          'REFUSED',
          `Generation ${number} of ${projection} is ${found.status}: only an old one may be dropped; a rebuild that is under way is cancelled`,
        )
      return { ...found, status: 'dropping' as const }
    },
  }),
}))

async function requireIdle(context: Parameters<typeof requireAdmin>[0], projection: string): Promise<void> {
  const busy = await operationOn(requireAdmin(context), projection)
  if (busy !== null)
    throw new OperationRefusedError(
      'BUSY',
      `The operation ${busy.id} (${busy.type}) is at work on ${projection}: wait for it, or cancel it`,
    )
}
