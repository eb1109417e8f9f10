import type { Memory, MemoryState } from '@daybook/memory/state'
import type { Context } from '../../context.ts'
import { builder } from '../builder.ts'
import { memoryInterface } from './memory.ts'

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
