import { NotFoundError, ValidationError } from '@daybook/memory/errors'
import { operationOn } from '@daybook/operations/request'
import { PGVECTOR } from '@daybook/pgvector/generation-tables'
import { generationBytes } from '@daybook/pgvector/read/generation-size'
import { describeGeneration } from '@daybook/projection/generations/describe-generation'
import {
  type GenerationState,
  type GenerationStatus,
  listGenerations,
  moveGeneration,
} from '@daybook/projection/generations/generations'
import { swapGenerations } from '@daybook/projection/generations/swap-generations'
import { PROJECTIONS } from '../../projection-names.ts'
import { builder } from '../builder.ts'
import { DAYBOOK } from '../needs.ts'
import { requireAdmin } from '../require-admin.ts'
import { enumOfWords } from '../types/enum-of-words.ts'
import { projectionName } from '../types/projection-name.ts'
import { OperationRefusedError } from './operation-refused.ts'

const generationStatus = enumOfWords<GenerationStatus>('GenerationStatus', {
  building: 'A rebuild loads it from the journal.',
  following: 'It is loaded, and catches up with the journal before it is swapped in.',
  live: 'Searches read it.',
  old: 'It was live before and is kept up to date for a rollback.',
  dropping: 'It is being deleted.',
})

/** The type `Generation`. */
export const generation = builder.objectRef<GenerationState>('Generation')

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
