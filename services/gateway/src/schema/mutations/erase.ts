import type { Erasure } from '@daybook/journal/erase/erase-memories'
import { checkFilter } from '@daybook/memory/check-filter'
import { NotFoundError, ValidationError } from '@daybook/memory/errors'
import type { Memory } from '@daybook/memory/state'
import { ERASE_MAX, erase, memoriesToErase, OUT_OF_REACH } from '../../erase.ts'
import { builder } from '../builder.ts'
import { listCost, SEARCH_COST } from '../limits.ts'
import { ADMIN } from '../needs.ts'
import { memoryInterface } from '../types/memory.ts'
import { memoryFilter } from '../types/memory-filter.ts'
import { requireMemoryId } from './request.ts'

const REACH =
  'It is gone from the journal, from search, and from the embedding store when this answers; from Typesense and the event bus within seconds. An event without content stays: who erased it, and when.'

const sequence = {
  description: 'The receipt: the sequence of the last event that says so. Null if nothing was erased.',
} as const

interface Erased extends Erasure {
  readonly id: string
}

const erased = builder.objectType(builder.objectRef<Erased>('Erased'), {
  description: `A memory is erased for good. ${REACH}`,
  fields: (t) => ({
    id: t.exposeID('id'),
    sequence: t.int({
      resolve: ({ events }) => events.at(-1)?.sequence ?? 0,
      description: sequence.description,
    }),
    contents: t.exposeInt('contents', {
      description: 'How many versions lost their content, parts of a long document included.',
    }),
    outOfReach: t.stringList({
      description: 'What may hold copies that Daybook cannot reach.',
      resolve: () => OUT_OF_REACH,
    }),
  }),
})

interface ErasedMany {
  readonly dryRun: boolean
  readonly selected: readonly Memory[]
  readonly erasure: Erasure | null
}

/** The most memories shown of those that would be erased. */
const SHOWN_MAX = 100

const erasedMany = builder.objectType(builder.objectRef<ErasedMany>('ErasedMany'), {
  description: `What was erased for good, or would be. ${REACH}`,
  fields: (t) => ({
    dryRun: t.exposeBoolean('dryRun'),
    memories: t.int({
      resolve: ({ selected }) => selected.length,
      description: 'How many the filter selects, forgotten ones included.',
    }),
    examples: t.field({
      type: [memoryInterface],
      description: `The newest of them, at most ${SHOWN_MAX}, before they are erased; empty afterwards.`,
      args: { first: t.arg.int({ defaultValue: 20 }) },
      complexity: ({ first }) => listCost(first),
      resolve: ({ selected, dryRun }, { first }) =>
        dryRun ? selected.slice(0, Math.max(0, Math.min(first ?? 20, SHOWN_MAX))) : [],
    }),
    contents: t.int({
      resolve: ({ erasure }) => erasure?.contents ?? 0,
      description: 'How many versions lost their content; 0 in a dry run.',
    }),
    sequence: t.int({
      nullable: true,
      resolve: ({ erasure }) => erasure?.events.at(-1)?.sequence ?? null,
      ...sequence,
    }),
    outOfReach: t.stringList({
      description: 'What may hold copies that Daybook cannot reach.',
      resolve: () => OUT_OF_REACH,
    }),
  }),
})

builder.mutationField('erase', (t) =>
  t.field({
    ...ADMIN,
    type: builder.errorUnion('EraseResult', { types: [erased, NotFoundError], resolveType: () => 'Erased' }),
    complexity: { field: SEARCH_COST },
    description:
      'Erases a memory for good, with all its versions, and all parts of a long document. Nothing brings it back, not even undo, so it needs a key with the scope ADMIN of the project. To take it out of the indexes only, use forget.',
    args: { id: t.arg.id({ required: true }) },
    resolve: async (_, { id }, context) => {
      const erasure = await erase(context, [requireMemoryId(id)])
      if (erasure.events.length === 0) throw new NotFoundError(`The memory "${id.slice(0, 64)}"`)
      return { ...erasure, id }
    },
  }),
)

builder.mutationField('eraseMany', (t) =>
  t.field({
    ...ADMIN,
    type: builder.errorUnion('EraseManyResult', {
      types: [erasedMany, ValidationError],
      resolveType: () => 'ErasedMany',
    }),
    complexity: { field: SEARCH_COST },
    description: `Erases all memories that a filter selects for good, forgotten ones too, at most ${ERASE_MAX.toLocaleString('en')}; or only says which. Needs the scope ADMIN.`,
    args: {
      filter: t.arg({ type: memoryFilter, required: true, description: 'It must name something.' }),
      dryRun: t.arg.boolean({ defaultValue: true, description: 'Only says what would be erased.' }),
    },
    resolve: async (_, { filter, dryRun }, context) => {
      const selected = await memoriesToErase(context, checkFilter(filter))
      if (dryRun ?? true) return { dryRun: true, selected, erasure: null }
      const erasure = await erase(
        context,
        selected.map(({ state }) => state.id),
      )
      return { dryRun: false, selected, erasure }
    },
  }),
)
