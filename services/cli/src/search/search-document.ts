import { graphql, type ResultOf } from '@daybook/api/graphql'
import { EXPLANATION } from '@daybook/client/documents/explanation'
import { MEMORY, type NO_CONTENT } from '@daybook/client/documents/memory'

/** The short fields that some kinds have, and what supersedes it, shown beside a hit's title. */
const SHORT_FIELDS = graphql(`
  fragment ShortFields on Memory { ... on Learning { severity } ... on Session { status } ... on Entity { type } supersededBy { id } }`)

/** The search query. @param content `memoryContent()`, or `NO_CONTENT` */
export const searchDocument = (content: typeof NO_CONTENT) =>
  graphql(
    `query Search(
      $query: String!, $filter: MemoryFilter, $mode: SearchMode, $limit: Int, $minScore: Float, $atLeast: Int,
      $floor: Boolean, $weights: RankingWeights,
      $acrossVersions: Boolean, $asOf: DateTime, $projects: [String!], $explain: Boolean!, $severalProjects: Boolean!
    ) {
      search(
        query: $query, filter: $filter, mode: $mode, limit: $limit, minScore: $minScore, atLeast: $atLeast,
        floor: $floor, weights: $weights,
        acrossVersions: $acrossVersions, asOf: $asOf, projects: $projects
      ) {
        hits {
          score matchType snippet version
          memory { ...Memory ...MemoryContent ...ShortFields }
          explanation @include(if: $explain) { ...Explanation }
          project @include(if: $severalProjects) { id name }
        }
        searched @include(if: $severalProjects) { project { id name } hits engine sequence }
        matchType engine degraded message sequence
      }
    }`,
    [MEMORY, content, SHORT_FIELDS, EXPLANATION],
  )

/** What a search in its own words gives, for `showFound`. @param content as for `searchDocument` */
export const foundFragment = (content: typeof NO_CONTENT) =>
  graphql(
    `fragment Found on SearchResult {
      hits { score matchType snippet version memory { ...Memory ...MemoryContent ...ShortFields } }
      matchType engine degraded message sequence
    }`,
    [MEMORY, content, SHORT_FIELDS],
  )

type SearchedHit = ResultOf<ReturnType<typeof searchDocument>>['search']['hits'][number]

/** A memory that a search found; with the explanation of its score and its project if these were asked for. */
export type SearchHit = Omit<SearchedHit, 'explanation' | 'project'> &
  Partial<Pick<SearchedHit, 'explanation' | 'project'>>
