import type { Given } from '@daybook/api/graphql'
import { graphql, type InputOf, type ResultOf, type VariablesOf } from '@daybook/api/graphql'
import { EXPLANATION } from '@daybook/client/documents/explanation'
import { read } from './client.ts'
import { COUNTS } from './counts.ts'

const SEARCH = graphql(
  `query Search(
    $query: String!, $filter: MemoryFilter, $mode: SearchMode, $limit: Int, $ranking: RankingMethod,
    $engine: SearchEngine, $asOf: DateTime
  ) {
    search(
      query: $query, filter: $filter, mode: $mode, limit: $limit, ranking: $ranking, engine: $engine, asOf: $asOf
    ) {
      hits {
        score matchType snippet version trust
        memory { id kind title agent labels context occurredAt createdAt updatedAt shared }
        explanation { ...Explanation }
      }
      facets(values: 12) { ...Counts }
      engine degraded message sequence
    }
  }`,
  [EXPLANATION, COUNTS],
)

/** What is searched for, and how. */
export type SearchRequest = Given<VariablesOf<typeof SEARCH>>
/** The answer to a search. */
export type SearchAnswer = ResultOf<typeof SEARCH>['search']
/** A memory that was found, and why. */
export type SearchHit = SearchAnswer['hits'][number]
/** Which memories are looked at. */
export type MemoryFilter = InputOf<'MemoryFilter'>

/** Searches. @throws DaybookClientError; the signal's reason */
export const search = async (request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer> =>
  (await read(SEARCH, request, { signal })).search
