import { graphql, type ResultOf } from '@daybook/api/graphql'
import { MEMORY, type NO_CONTENT } from '../client/memory.ts'

const EXPLANATION = graphql(`
  fragment Explanation on Explanation {
    method score ownScore scale missingNeighbours session { memoryId contribution } generation model
    terms { name value weight contribution }
    retrievers { retriever rank rawScore normalisedScore weight contribution }
    neighbours { memoryId distance contribution }
  }`)

/** How a hit's score came about. */
export type Explanation = ResultOf<typeof EXPLANATION>

/** The search query. @param content `memoryContent()`, or `NO_CONTENT` */
export const searchDocument = (content: typeof NO_CONTENT) =>
  graphql(
    `query Search(
      $query: String!, $filter: MemoryFilter, $mode: SearchMode, $limit: Int, $minScore: Float, $atLeast: Int, $explain: Boolean!
    ) {
      search(query: $query, filter: $filter, mode: $mode, limit: $limit, minScore: $minScore, atLeast: $atLeast) {
        hits {
          score matchType snippet version
          memory { ...Memory ...MemoryContent }
          explanation @include(if: $explain) { ...Explanation }
        }
        matchType engine degraded message sequence
      }
    }`,
    [MEMORY, content, EXPLANATION],
  )

/** A memory that a search found. */
export type SearchHit = ResultOf<ReturnType<typeof searchDocument>>['search']['hits'][number]
