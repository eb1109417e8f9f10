import { checkLimit } from '@daybook/search/check-request'
import { DUPLICATE_COSINE, nearDuplicates } from '@daybook/search/similar/near-duplicates'
import { searchPartsOf } from '../../search-parts-of.ts'
import { builder } from '../builder.ts'
import { listCost, SEARCH_COST } from '../limits.ts'
import { READ } from '../needs.ts'
import { searchResult } from '../types/search-result.ts'
import type { written } from './written.ts'

/** Hits unless the caller says how many. */
const DEFAULT_LIMIT = 3

/** Adds the field `similar` to the result of remembering. */
export function addSimilar(remembered: ReturnType<typeof written>): void {
  builder.objectField(remembered, 'similar', (t) =>
    t.field({
      ...READ,
      type: searchResult,
      complexity: ({ limit }) => listCost(limit ?? DEFAULT_LIMIT, SEARCH_COST),
      description: `Memories that say nearly the same: a cosine of ${DUPLICATE_COSINE} or more. Looked up after the write is committed, and only if asked for, because the text has to be embedded first. Revise one of them, or say that the new one supersedes it.`,
      args: { limit: t.arg.int({ defaultValue: DEFAULT_LIMIT, description: '1 to 100.' }) },
      resolve: async ({ memory }, { limit }, context) =>
        nearDuplicates(await searchPartsOf(context), memory, checkLimit(limit ?? DEFAULT_LIMIT)),
    }),
  )
}
