import { checkFilter } from '@daybook/memory/check-filter'
import { packContext } from '@daybook/search/context/pack-context'
import { readAtLeast } from '../../at-least.ts'
import { searchPartsOf } from '../../search-parts-of.ts'
import { builder } from '../builder.ts'
import { AT_LEAST_HASH } from '../hash-arguments.ts'
import { SEARCH_COST } from '../limits.ts'
import { memoryFilter } from '../types/memory-filter.ts'
import { contextOrder, packedContext } from '../types/packed-context.ts'

builder.queryField('contextFor', (t) =>
  t.field({
    type: packedContext,
    complexity: { field: SEARCH_COST },
    description:
      'The best memories for a prompt, packed into one text within a budget of tokens. Texts that say nearly the same appear once, long memories as their best passage, and hits that need it bring their neighbour.',
    args: {
      query: t.arg.string({ required: true }),
      tokenBudget: t.arg.int({ defaultValue: 2000, description: '1 to 100,000.' }),
      filter: t.arg({ type: memoryFilter }),
      order: t.arg({ type: contextOrder, defaultValue: 'SCORE' }),
      minScore: t.arg.float({ description: 'Leaves out hits with a lower score, 0 to 1.' }),
      atLeast: t.arg.int({ description: 'Waits at most 5 s until this sequence is searchable.' }),
      atLeastHash: t.arg.string({ description: AT_LEAST_HASH }),
    },
    resolve: async (_, args, context) => {
      const filter = checkFilter(args.filter)
      const packed = await readAtLeast(context, args, async (behind) => {
        const answer = await packContext(await searchPartsOf(context), {
          query: args.query,
          filter,
          tokenBudget: args.tokenBudget ?? 2000,
          order: args.order ?? 'SCORE',
          ...(args.minScore != null && { minScore: args.minScore }),
          atLeast: args.atLeast ?? 0,
        })
        return behind === null ? answer : { ...answer, degraded: [behind, ...answer.degraded] }
      })
      context.parts.access.touch(
        context.project,
        packed.entries.map(({ memory }) => memory.state.id),
      )
      return packed
    },
  }),
)
