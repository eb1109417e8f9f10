import { checkFilter } from '@daybook/memory/check-filter'
import { ValidationError } from '@daybook/memory/errors'
import { checkLimit, checkRanking, LIMIT_MAX } from '@daybook/search/check-request'
import type { PastWanted } from '@daybook/search/past/past-texts'
import { search } from '@daybook/search/search'
import { waitAtLeast } from '../../at-least.ts'
import type { Context } from '../../context.ts'
import { countAccess } from '../../count-access.ts'
import { parkedBehind } from '../../parked-behind.ts'
import { AS_OF, pastMoment } from '../../past-moment.ts'
import { searchPartsOf } from '../../search-parts-of.ts'
import { builder } from '../builder.ts'
import { AT_LEAST_HASH } from '../hash-arguments.ts'
import { listCost, SEARCH_COST } from '../limits.ts'
import { selects } from '../selects.ts'
import { memoryFilter } from '../types/memory-filter.ts'
import { rankingWeights } from '../types/ranking-weights.ts'
import { rankingMethod, searchEngine, searchMode, searchResult } from '../types/search-result.ts'

/** Which texts a search looks at; null for the present ones. @throws ValidationError for both at once */
async function pastWanted(
  context: Context,
  { asOf, acrossVersions }: { asOf?: string | null | undefined; acrossVersions?: boolean | null | undefined },
): Promise<PastWanted | null> {
  if (acrossVersions !== true) return pastMoment(context, asOf)
  if (asOf != null)
    throw new ValidationError(
      'acrossVersions',
      'cannot be combined with asOf: leave out asOf to search all versions, or acrossVersions to search those of that moment',
    )
  return 'EVER'
}

builder.queryField('search', (t) =>
  t.field({
    type: searchResult,
    complexity: ({ limit }) => listCost(limit, SEARCH_COST),
    description:
      'Finds memories by words and by meaning. A query may hold words, "a phrase", -without or NOT without, a AND b (both are required), OR, and parentheses. Operators are upper case. A query that is the name of a kind ("todo", "open todos", "decisions") finds the memories of that kind first.',
    args: {
      query: t.arg.string({ required: true }),
      filter: t.arg({ type: memoryFilter }),
      mode: t.arg({ type: searchMode, defaultValue: 'HYBRID' }),
      engine: t.arg({ type: searchEngine, defaultValue: 'AUTO' }),
      ranking: t.arg({ type: rankingMethod, defaultValue: 'DEFAULT' }),
      weights: t.arg({
        type: rankingWeights,
        description: 'Weights of the ranking DEFAULT.',
      }),
      limit: t.arg.int({ defaultValue: 10, description: '1 to 100.' }),
      minScore: t.arg.float({
        description:
          'Leaves out hits with a lower score, 0 to 1, and takes the place of `floor`. Where tokens are compared a score is a probability: 0.05 leaves out nearly all that answers nothing, in a project with a few dozen memories also some that does.',
      }),
      floor: t.arg.boolean({
        defaultValue: true,
        description:
          'Whether the answer is empty, with a hint, where nothing seems to be about the query: the best score is below 0.01 among 100 memories or more, or below 0.05 if the query names somebody of whom no memory says a word; or no memory has a word of it, and the nearest is far in meaning. Measured for MiniLM; other models and KEYWORD have no floor.',
      }),
      atLeast: t.arg.int({
        description:
          'Waits at most 5 s until this sequence is searchable. `degraded` says if it is not, or if an event up to it is parked.',
      }),
      atLeastHash: t.arg.string({ description: AT_LEAST_HASH }),
      acrossVersions: t.arg.boolean({
        defaultValue: false,
        description:
          'Looks at every text that a memory ever had. A hit is a version, with the memory as it was then; of one memory several may be found, but of versions with the same text only the last one that matches. Postgres answers. Not together with `asOf`.',
      }),
      asOf: t.arg({
        type: 'DateTime',
        description: `${AS_OF} Each hit is the memory as it was then. Postgres answers.`,
      }),
    },
    resolve: async (_, args, context, info) => {
      const limit = checkLimit(args.limit ?? 10)
      const ranking = checkRanking(args.ranking ?? 'DEFAULT', args.weights)
      const past = await pastWanted(context, args)
      const until = past === null || past === 'EVER' ? null : past.sequence
      const behind =
        (await waitAtLeast(context, args.atLeast, args.atLeastHash)) ??
        (await waitAtLeast(context, until, null))
      const countsFacets = selects(info, 'facets')
      const answer = await search(await searchPartsOf(context), {
        query: args.query,
        filter: checkFilter(args.filter),
        mode: args.mode ?? 'HYBRID',
        engine: args.engine ?? 'AUTO',
        atLeast: args.atLeast ?? 0,
        ranking,
        limit: countsFacets ? LIMIT_MAX : limit,
        minScore: args.minScore ?? undefined,
        floor: args.floor ?? true,
        past: past ?? undefined,
      })
      const parked = await parkedBehind(context, until ?? args.atLeast, answer.engine)
      const missing = [...(behind === null ? [] : [behind]), ...parked]
      return countAccess(context, {
        ...answer,
        hits: answer.hits.slice(0, limit),
        counted: answer.hits,
        degraded: [...missing, ...answer.degraded],
      })
    },
  }),
)
