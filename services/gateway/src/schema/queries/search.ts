import { checkFilter } from '@daybook/memory/check-filter'
import { checkRanking } from '@daybook/search/check-request'
import { search } from '@daybook/search/search'
import { POP, RECALL, searchByKey } from '@daybook/search/search-by-key'
import type { SearchParts } from '@daybook/search/search-parts'
import type { SearchAnswer } from '@daybook/search/search-request'
import { waitAtLeast } from '../../at-least.ts'
import type { Context } from '../../context.ts'
import { parkedBehind } from '../../parked-behind.ts'
import { builder } from '../builder.ts'
import { AT_LEAST_HASH } from '../hash-arguments.ts'
import { listCost, SEARCH_COST } from '../limits.ts'
import { memoryFilter } from '../types/memory-filter.ts'
import { rankingWeights } from '../types/ranking-weights.ts'
import { rankingMethod, searchEngine, searchMode, searchResult } from '../types/search-result.ts'

async function partsOf(context: Context): Promise<SearchParts> {
  const { embedders, engines, metrics, without } = context.parts
  const seconds = metrics.histogram({
    name: 'daybook_search_seconds',
    help: 'Time of one retriever of a search',
    labels: ['retriever'],
  })
  return {
    scope: context.project,
    readModel: await context.readModel(),
    embedders,
    engines,
    onRetriever: (retriever, time) => seconds.observe(time, { retriever }),
    without,
  }
}

/** Counts the hits as accessed. The counts are written later and never delay the answer. */
function counted(context: Context, answer: SearchAnswer): SearchAnswer {
  context.parts.access.touch(
    context.project,
    answer.hits.map((hit) => hit.memory.state.id),
  )
  return answer
}

builder.queryField('search', (t) =>
  t.field({
    type: searchResult,
    complexity: ({ limit }) => listCost(limit, SEARCH_COST),
    description:
      'Finds memories by words and by meaning. A query may hold words, "a phrase", -without and OR.',
    args: {
      query: t.arg.string({ required: true }),
      filter: t.arg({ type: memoryFilter }),
      mode: t.arg({ type: searchMode, defaultValue: 'HYBRID' }),
      engine: t.arg({ type: searchEngine, defaultValue: 'AUTO' }),
      ranking: t.arg({ type: rankingMethod, defaultValue: 'DEFAULT' }),
      weights: t.arg({
        type: rankingWeights,
        description: 'Weights of the ranking DEFAULT without token bits, which they leave out.',
      }),
      limit: t.arg.int({ defaultValue: 10, description: '1 to 100.' }),
      minScore: t.arg.float({
        description:
          'Leaves out hits with a lower score, 0 to 1. Where tokens are compared a score is a probability, and 0.05 leaves out nearly all that answers nothing; in a project with a few dozen memories it also leaves out some that do.',
      }),
      atLeast: t.arg.int({
        description:
          'Waits at most 5 s until this sequence is searchable. `degraded` says if it is not, or if an event up to it is parked.',
      }),
      atLeastHash: t.arg.string({ description: AT_LEAST_HASH }),
    },
    resolve: async (_, args, context) => {
      const ranking = checkRanking(args.ranking ?? 'DEFAULT', args.weights)
      const behind = await waitAtLeast(context, args.atLeast, args.atLeastHash)
      const answer = await search(await partsOf(context), {
        query: args.query,
        filter: checkFilter(args.filter),
        mode: args.mode ?? 'HYBRID',
        engine: args.engine ?? 'AUTO',
        atLeast: args.atLeast ?? 0,
        ranking,
        limit: args.limit ?? 10,
        minScore: args.minScore ?? 0,
      })
      const parked = await parkedBehind(context, args.atLeast, answer.engine)
      const missing = [...(behind === null ? [] : [behind]), ...parked]
      return counted(context, { ...answer, degraded: [...missing, ...answer.degraded] })
    },
  }),
)

builder.queryField('recall', (t) =>
  t.field({
    type: searchResult,
    complexity: ({ limit }) => listCost(limit ?? 5, SEARCH_COST),
    description: 'Insights by their key: the exact one, else a search among insights.',
    args: { key: t.arg.string({ required: true }), limit: t.arg.int({ defaultValue: 5 }) },
    resolve: async (_, { key, limit }, context) =>
      counted(context, await searchByKey(await partsOf(context), RECALL, key, limit ?? 5)),
  }),
)

builder.queryField('pop', (t) =>
  t.field({
    type: searchResult,
    complexity: ({ limit }) => listCost(limit ?? 5, SEARCH_COST),
    description: 'Stashes by their name: the exact one, else a search among stashes.',
    args: { name: t.arg.string({ required: true }), limit: t.arg.int({ defaultValue: 5 }) },
    resolve: async (_, { name, limit }, context) =>
      counted(context, await searchByKey(await partsOf(context), POP, name, limit ?? 5)),
  }),
)
