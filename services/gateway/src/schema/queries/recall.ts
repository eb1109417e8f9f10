import {
  DECISION,
  DOCUMENT,
  ENTITY,
  type KeyedKind,
  POP,
  RECALL,
  searchByKey,
} from '@daybook/search/search-by-key'
import { countAccess } from '../../count-access.ts'
import { searchPartsOf } from '../../open-search-engines.ts'
import { builder } from '../builder.ts'
import { listCost, SEARCH_COST } from '../limits.ts'
import { searchResult } from '../types/search-result.ts'

/** How many hits a look-up gives by default. */
const LIMIT = 5

/** Adds a look-up of memories by what names them exactly. */
function addLookUp(name: string, argument: string, kind: KeyedKind, description: string): void {
  builder.queryField(name, (t) =>
    t.field({
      type: searchResult,
      complexity: ({ limit }) => listCost(Number(limit ?? LIMIT), SEARCH_COST),
      description,
      args: {
        [argument]: t.arg.string({ required: true }),
        limit: t.arg.int({ defaultValue: LIMIT }),
      },
      resolve: async (_, { [argument]: wanted, limit }, context) =>
        countAccess(
          context,
          await searchByKey(await searchPartsOf(context), kind, String(wanted), Number(limit ?? LIMIT)),
        ),
    }),
  )
}

addLookUp('recall', 'key', RECALL, 'Insights by their key: the exact one, else a search among insights.')
addLookUp('pop', 'name', POP, 'Stashes by their name: the exact one, else a search among stashes.')
addLookUp(
  'recallDecision',
  'topic',
  DECISION,
  'Decisions by their topic: those with exactly this topic, else a search among decisions.',
)
addLookUp(
  'recallEntity',
  'name',
  ENTITY,
  'Entities by their name: those with exactly this name, else a search among entities.',
)
addLookUp(
  'recallDocument',
  'id',
  DOCUMENT,
  'A document by your own id (externalId): exactly that one, else a search among documents.',
)
