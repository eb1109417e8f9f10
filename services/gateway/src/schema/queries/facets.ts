import { checkFilter } from '@daybook/memory/check-filter'
import { readFacets } from '@daybook/pgvector/read/read-facets'
import { requireAtLeast } from '../../at-least.ts'
import { AS_OF, pastMoment } from '../../past-moment.ts'
import { builder } from '../builder.ts'
import { listCost } from '../limits.ts'
import { checkFacetValues, FACET_VALUES, FACET_VALUES_MAX, facets } from '../types/facets.ts'
import { memoryFilter } from '../types/memory-filter.ts'

/** Beside its answer: it reads all memories that match. 100,000 take about as long as a search. */
const FACETS_COST = 1_500

builder.queryField('facets', (t) =>
  t.field({
    type: facets,
    complexity: ({ values }) => listCost(values ?? FACET_VALUES, FACETS_COST),
    description: 'How many memories that match the filter have which label, kind, category, and so on.',
    args: {
      filter: t.arg({ type: memoryFilter }),
      values: t.arg.int({
        defaultValue: FACET_VALUES,
        description: `The most values listed per facet, 1 to ${FACET_VALUES_MAX}. \`others\` counts the rest.`,
      }),
      asOf: t.arg({ type: 'DateTime', description: AS_OF }),
    },
    resolve: async (_, args, context) => {
      const [filter, most] = [checkFilter(args.filter), checkFacetValues(args.values)]
      const past = await pastMoment(context, args.asOf)
      await requireAtLeast(context, past?.sequence, null)
      return readFacets(context.project, (await context.readModel()).tables, { filter, most, past })
    },
  }),
)
