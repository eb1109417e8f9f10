import { checkFilter } from '@daybook/memory/check-filter'
import { similar } from '@daybook/search/similar/similar'
import { countAccess } from '../../count-access.ts'
import { searchPartsOf } from '../../search-parts-of.ts'
import { builder } from '../builder.ts'
import { listCost, SEARCH_COST } from '../limits.ts'
import { memoryFilter } from '../types/memory-filter.ts'
import { searchResult } from '../types/search-result.ts'

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
      return countAccess(context, await similar(await searchPartsOf(context), request))
    },
  }),
)
