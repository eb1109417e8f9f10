import { NotFoundError, ValidationError } from '@daybook/memory/errors'
import { checkFilter } from '@daybook/memory/filter'
import { readMemories } from '@daybook/pgvector/read/read-memories'
import { ERASE_MAX, type Erased, erase, idsToErase, OUT_OF_REACH } from '../../erase.ts'
import { builder } from '../builder.ts'
import { listCost, SEARCH_COST } from '../limits.ts'
import { ADMIN } from '../resolve-in-project.ts'
import { memoryInterface } from '../types/memory.ts'
import { memoryFilter } from '../types/memory-filter.ts'
import { checkFirst } from '../types/page.ts'
import { requireMemoryId } from './remember.ts'

const REACH =
  'It is gone from the journal when this answers, from search, the embedding store, Typesense and the event bus within seconds. An event without content stays: who erased it, and when.'

/** Of both results. */
const WORDS = {
  contents: 'How many versions lost their content, parts of long documents included.',
  sequence: 'The receipt: the sequence of the last event that says so.',
  behind:
    'Null once search has lost it too, and always in a dry run; else how far search is behind, as a sentence.',
  outOfReach: 'What may hold copies that Daybook cannot reach.',
} as const

const erased = builder.objectType(builder.objectRef<Erased & { readonly id: string }>('Erased'), {
  description: `A memory is erased for good. ${REACH}`,
  fields: (t) => ({
    id: t.exposeID('id'),
    sequence: t.int({ resolve: ({ events }) => events.at(-1)?.sequence ?? 0, description: WORDS.sequence }),
    contents: t.exposeInt('contents', { description: WORDS.contents }),
    behind: t.exposeString('behind', { nullable: true, description: WORDS.behind }),
    outOfReach: t.stringList({ resolve: () => OUT_OF_REACH, description: WORDS.outOfReach }),
  }),
})

interface ErasedMany {
  /** Plain ids. */
  readonly selected: readonly string[]
  /** Null in a dry run. */
  readonly erasure: Erased | null
}

/** How many memories are shown of those that would be erased, unless asked otherwise, and at most. */
const SHOWN = 20

const SHOWN_MAX = 100

const erasedMany = builder.objectType(builder.objectRef<ErasedMany>('ErasedMany'), {
  description: `What was erased for good, or would be. ${REACH}`,
  fields: (t) => ({
    dryRun: t.boolean({ resolve: ({ erasure }) => erasure === null }),
    memories: t.int({
      resolve: ({ selected }) => selected.length,
      description: 'How many the filter selects, forgotten ones included.',
    }),
    examples: t.field({
      type: [memoryInterface],
      description: `The newest of them, at most ${SHOWN_MAX}, before they are erased; empty afterwards.`,
      args: { first: t.arg.int({ defaultValue: SHOWN }) },
      complexity: ({ first }) => listCost(first),
      resolve: async ({ selected, erasure }, args, { project, readModel }) => {
        const first = checkFirst(args.first, { fallback: SHOWN, most: SHOWN_MAX })
        if (erasure !== null) return []
        const shown = selected.slice(0, first)
        const memories = await readMemories(project, (await readModel()).tables, shown)
        return shown.flatMap((id) => memories.get(id) ?? [])
      },
    }),
    contents: t.int({ resolve: ({ erasure }) => erasure?.contents ?? 0, description: WORDS.contents }),
    sequence: t.int({
      nullable: true,
      resolve: ({ erasure }) => erasure?.events.at(-1)?.sequence ?? null,
      description: `${WORDS.sequence} Null if nothing was erased.`,
    }),
    behind: t.string({
      nullable: true,
      resolve: ({ erasure }) => erasure?.behind ?? null,
      description: WORDS.behind,
    }),
    outOfReach: t.stringList({ resolve: () => OUT_OF_REACH, description: WORDS.outOfReach }),
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
      const selected = await idsToErase(context, checkFilter(filter))
      return { selected, erasure: (dryRun ?? true) ? null : await erase(context, selected) }
    },
  }),
)
