import {
  graphql,
  type InputOf,
  type ReadonlyInput,
  type ResultOf,
  type VariablesOf,
} from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'
import { EXPLANATION } from '@daybook/client/documents/memory'
import { read } from './client.ts'

export const COUNTS = graphql(`
  fragment Counts on Facets {
    memories
    kinds { value count } labels { value count } categories { value count } contexts { value count }
    agents { value count }
    others { facet values count }
  }`)

/** How many memories have which value. */
export type Counts = ResultOf<typeof COUNTS>

const SEARCH = queries.search(
  `
  hits {
    score matchType snippet version trust
    memory {
      id kind title agent labels context occurredAt createdAt updatedAt shared ... on Todo { resolvedAt }
    }
    explanation { ...Explanation }
  }
  facets(values: 12) { ...Counts }
  engine degraded message sequence`,
  [EXPLANATION, COUNTS],
)

/** What is searched for, and how. */
type SearchRequest = ReadonlyInput<VariablesOf<typeof SEARCH>>

/** The answer to a search. */
export type SearchAnswer = ResultOf<typeof SEARCH>['search']

/** A memory that was found, and why. */
export type SearchHit = SearchAnswer['hits'][number]

/** Which memories are looked at. */
export type MemoryFilter = InputOf<'MemoryFilter'>

/** Searches. @throws DaybookClientError; the signal's reason */
export const search = async (request: SearchRequest, signal: AbortSignal): Promise<SearchAnswer> =>
  (await read(SEARCH, request, { signal })).search

const TITLES = queries.search('hits { memory { id kind title } }')

/** What a search finds, by title alone: the best eight. @throws DaybookClientError; the signal's reason */
export const findTitles = async (
  query: string,
  signal: AbortSignal,
): Promise<readonly Pick<SearchHit['memory'], 'id' | 'kind' | 'title'>[]> =>
  (await read(TITLES, { query, limit: 8 }, { signal })).search.hits.map(({ memory }) => memory)

const NEWEST = graphql(
  `query Newest($filter: MemoryFilter, $first: Int, $asOf: DateTime) {
    memories(filter: $filter, first: $first, asOf: $asOf) {
      nodes: edges { node {
        id kind title agent labels context occurredAt createdAt updatedAt trust shared ... on Todo { resolvedAt }
      } }
    }
    counts: facets(filter: $filter, values: 12, asOf: $asOf) { ...Counts }
  }`,
  [COUNTS],
)

type Answer = ResultOf<typeof NEWEST>

/** A memory in a list. */
export type ListedMemory = Answer['memories']['nodes'][number]['node']

/** The newest memories, and how many there are. */
interface Newest {
  readonly memories: readonly ListedMemory[]
  readonly counts: Answer['counts']
}

/** The newest memories that match, and the counts of all that match. @throws DaybookClientError; the signal's reason */
export async function readNewest(
  request: ReadonlyInput<VariablesOf<typeof NEWEST>>,
  signal?: AbortSignal,
): Promise<Newest> {
  const { memories, counts } = await read(NEWEST, request, { signal })
  return { memories: memories.nodes.map(({ node }) => node), counts }
}
