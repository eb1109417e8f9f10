import { graphql, type ResultOf } from '@daybook/api/graphql'

/** The fields that every memory has. */
export const MEMORY = graphql(`
  fragment Memory on Memory {
    id kind title text agent labels categories importance context metadata occurredAt expiresAt version sequence
    createdAt updatedAt accessedAt accessCount decayWeight forgottenAt
  }`)

/** A memory as the API gives it, whatever its kind. */
export type Memory = Omit<ResultOf<typeof MEMORY>, '__typename'>

/** Stands in for `memoryContent` where a kind's own fields are not asked for. */
export const NO_CONTENT = graphql('fragment MemoryContent on Memory { id }')

export const HISTORY = graphql(`
  query History($id: ID!, $after: String) {
    memory(id: $id) {
      history(first: 100, after: $after) {
        edges { node { sequence type version changed actor recordedAt memory { text } } }
        pageInfo { hasNextPage endCursor }
      }
    }
  }`)

type History = NonNullable<ResultOf<typeof HISTORY>['memory']>['history']

/** An event of a memory's history. */
export type HistoryEvent = History['edges'][number]['node']
