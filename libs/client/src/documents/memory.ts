import { graphql, type ResultOf } from '@daybook/api/graphql'
import * as queries from '@daybook/api/queries'

/** The fields that every memory has. */
export const MEMORY = graphql(`
  fragment Memory on Memory {
    id kind title text agent labels categories importance context metadata occurredAt expiresAt version sequence
    createdAt updatedAt accessedAt accessCount decayWeight forgottenAt trust shared
  }`)

/** A memory as the API gives it, whatever its kind. */
export type Memory = Omit<ResultOf<typeof MEMORY>, '__typename'>

/** Takes the place of `memoryContent` in queries that do not need a kind's own fields. */
export const NO_CONTENT = graphql('fragment MemoryContent on Memory { id }')

/** The query for a memory's history. */
export const HISTORY = graphql(`
  query History($id: ID!, $after: String) {
    memory(id: $id) {
      history(first: 100, after: $after) {
        edges { node { sequence type version changed actor recordedAt
          writer { keyId agent client trust } memory { text } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }`)

type History = NonNullable<ResultOf<typeof HISTORY>['memory']>['history']

/** An event of a memory's history. */
export type HistoryEvent = History['edges'][number]['node']

/** Everything of an explanation. Spread it on a hit's. */
export const EXPLANATION = graphql(`
  fragment Explanation on Explanation {
    method score ownScore scale missingNeighbours session { memoryId contribution } generation model
    terms { name value weight contribution }
    priors { name value weight contribution }
    retrievers { retriever rank rawScore normalisedScore weight contribution }
    neighbours { memoryId distance contribution }
  }`)

/** How a hit's score came about. */
export type Explanation = ResultOf<typeof EXPLANATION>

/** The journal's last sequence, as each projection knows it. */
export const HEAD = queries.projections('head')
