import { checkFilter } from '@daybook/memory/filter'
import type { Memory, MemoryState } from '@daybook/memory/state'
import { checkLimit } from '@daybook/search/check-request'
import { DUPLICATE_COSINE, nearDuplicates, similar } from '@daybook/search/similar/similar'
import type { Context } from '../../context.ts'
import { countAccess } from '../../count-access.ts'
import { searchContextOf } from '../../open-search-engines.ts'
import { builder } from '../builder.ts'
import { listCost, SEARCH_COST } from '../limits.ts'
import { remembered } from '../mutations/remember.ts'
import { READ } from '../resolve-in-project.ts'
import { memoryInterface } from './memory.ts'
import { memoryFilter } from './memory-filter.ts'
import { searchResult } from './search-result.ts'

const memoryNeighbours = builder.objectRef<MemoryState>('MemoryNeighbours')

/** The most on each side. */
const MOST = 3

async function onSide(side: 'before' | 'after', { id }: MemoryState, context: Context): Promise<Memory[]> {
  const { [side]: ids } = await context.neighbours.load(id)
  const loader = memoryInterface.getDataloader(context)
  const memories = await Promise.all(ids.map(async (each) => (await loader.load(each)) as Memory | null))
  return memories.filter((memory) => memory !== null)
}

builder.objectType(memoryNeighbours, {
  description:
    'The memories around one in its context, of the same kind: those that a search ranks it together with. Both lists are empty for a memory without a context.',
  fields: (t) => ({
    before: t.field({
      type: [memoryInterface],
      complexity: { multiplier: MOST },
      resolve: (state, _, context) => onSide('before', state, context),
      description: 'Those remembered before it, nearest first; at most three.',
    }),
    after: t.field({
      type: [memoryInterface],
      complexity: { multiplier: MOST },
      resolve: (state, _, context) => onSide('after', state, context),
      description: 'Those remembered after it, nearest first; at most three.',
    }),
  }),
})

builder.interfaceField(memoryInterface, 'neighbours', (t) =>
  t.field({
    type: memoryNeighbours,
    resolve: ({ state }) => state,
    description: 'The memories before and after it in the same context.',
  }),
)

builder.queryField('similar', (t) =>
  t.field({
    type: searchResult,
    complexity: ({ topK }) => listCost(topK ?? 5, SEARCH_COST),
    description:
      'The memories nearest in meaning to a text, a memory or a vector: exactly one of them. A memory is not similar to itself. Scores are cosines. Of long texts the first eight parts are compared.',
    args: {
      text: t.arg.string({ description: 'At most 64 KiB.' }),
      id: t.arg.id({ description: 'A memory.' }),
      vector: t.arg.floatList({ description: "From the index's model, with as many numbers." }),
      topK: t.arg.int({ defaultValue: 5, description: '1 to 100.' }),
      filter: t.arg({ type: memoryFilter }),
    },
    resolve: async (_, { text, id, vector, topK, filter }, context) => {
      const request = { text, id, vector, topK: topK ?? 5, filter: checkFilter(filter) }
      return countAccess(context, await similar(await searchContextOf(context), request))
    },
  }),
)

/** Hits unless the caller says how many. */
const DEFAULT_LIMIT = 3

builder.objectField(remembered, 'similar', (t) =>
  t.field({
    ...READ,
    type: searchResult,
    complexity: ({ limit }) => listCost(limit ?? DEFAULT_LIMIT, SEARCH_COST),
    description: `Memories that say nearly the same: a cosine of ${DUPLICATE_COSINE} or more. Looked up after the write is committed, and only if asked for, because the text has to be embedded first. Revise one of them, or say that the new one supersedes it.`,
    args: { limit: t.arg.int({ defaultValue: DEFAULT_LIMIT, description: '1 to 100.' }) },
    resolve: async ({ memory }, { limit }, context) =>
      nearDuplicates(await searchContextOf(context), memory, checkLimit(limit ?? DEFAULT_LIMIT)),
  }),
)
