import { graphql, type ReadonlyInput, type ResultOf, type VariablesOf } from '@daybook/api/graphql'
import { read } from './client.ts'
import { COUNTS } from './search.ts'

const GROWTH = graphql(
  `query Growth($filter: MemoryFilter, $timeZone: String) {
    growth(filter: $filter, timeZone: $timeZone, values: 5) {
      unit starts memories remembered events kinds { value counts } contexts { value counts }
    }
    counts: facets(filter: $filter, values: 12) { ...Counts }
  }`,
  [COUNTS],
)

type Answer = ResultOf<typeof GROWTH>

/** How memories came to be, over time. */
export type Growth = Answer['growth']

/** Reads the growth of the memories that match, and their counts. @throws DaybookClientError; the signal's reason */
export const readGrowth = (
  request: ReadonlyInput<VariablesOf<typeof GROWTH>>,
  signal?: AbortSignal,
): Promise<Answer> => read(GROWTH, request, { signal })
