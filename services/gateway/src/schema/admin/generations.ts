import { NotFoundError, ValidationError } from '@daybook/memory/errors'
import { operationOn } from '@daybook/operations/request'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { generationBytes } from '@daybook/pgvector/read/generation-size'
import { describeGeneration } from '@daybook/projection/generations/describe-generation'
import {
  type GenerationState,
  listGenerations,
  moveGeneration,
} from '@daybook/projection/generations/generations'
import { swapGenerations } from '@daybook/projection/generations/swap-generations'
import { builder } from '../builder.ts'
import { requireAdmin } from '../require-admin.ts'
import { checkProjection, PROJECTIONS } from './check-arguments.ts'
import { OperationRefusedError } from './operation-refused.ts'

export const generation = builder.objectRef<GenerationState>('Generation')

builder.objectType(generation, {
  description: 'One physical copy of a projection. One is live; an old one stays for a rollback, up to date.',
  fields: (t) => ({
    projection: t.exposeString('projection'),
    generation: t.exposeInt('generation'),
    status: t.exposeString('status', { description: 'building, following, live, old or dropping' }),
    model: t.exposeString('modelId', { description: 'The embedding model whose vectors it holds.' }),
    dimension: t.exposeInt('dimension'),
    createdAt: t.field({ type: 'DateTime', resolve: (one) => one.createdAt }),
    retiredAt: t.field({
      type: 'DateTime',
      nullable: true,
      resolve: (one) => one.retiredAt,
      description: 'When another took its place.',
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
      description: 'What it takes in the database, indexes included; null of one that is elsewhere.',
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
    type: [generation],
    args: { projection: t.arg.string() },
    resolve: async (_, { projection }, context) => {
      const db = requireAdmin(context)
      const names = projection == null ? PROJECTIONS : [checkProjection(projection)]
      return (await Promise.all(names.map((name) => listGenerations(db, name)))).flat()
    },
  }),
)

builder.mutationFields((t) => ({
  rollback: t.field({
    type: generationResult,
    description: 'Makes the generation live again that was so last, at once.',
    args: { projection: t.arg.string({ required: true }) },
    resolve: async (_, args, context) => {
      const db = requireAdmin(context)
      const projection = checkProjection(args.projection)
      await requireIdle(context, projection)
      const [last] = (await listGenerations(db, projection))
        .filter(({ status }) => status === 'old')
        .toSorted((a, b) => (b.retiredAt ?? '').localeCompare(a.retiredAt ?? ''))
      if (last === undefined) throw new NotFoundError(`An old generation of ${projection}`, 'Daybook')
      // Who asks for a rollback wants that generation as it is.
      if ((await swapGenerations(db, last, { acceptParked: true })) !== 'swapped')
        throw new OperationRefusedError('REFUSED', `Generation ${last.generation} is being dropped`)
      return { ...last, status: 'live' as const, retiredAt: null }
    },
  }),
  dropGeneration: t.field({
    type: generationResult,
    description: 'Deletes an old generation, for good, within some seconds. There is no rollback to it then.',
    args: { projection: t.arg.string({ required: true }), generation: t.arg.int({ required: true }) },
    resolve: async (_, args, context) => {
      const db = requireAdmin(context)
      const projection = checkProjection(args.projection)
      const found = (await listGenerations(db, projection)).find((one) => one.generation === args.generation)
      if (found === undefined)
        throw new NotFoundError(`Generation ${args.generation} of ${projection}`, 'Daybook')
      if (found.status !== 'dropping' && !(await moveGeneration(db, found, ['old'], 'dropping')))
        throw new OperationRefusedError(
          'REFUSED',
          `Generation ${args.generation} of ${projection} is ${found.status}: only an old one may be dropped; a rebuild that is under way is cancelled`,
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
