import { graphql, type ResultOf } from './graphql.ts'

/** The fields that every memory has. */
export const MEMORY = graphql(`
  fragment Memory on Memory {
    id kind title text agent labels categories importance context metadata occurredAt expiresAt version sequence
    createdAt updatedAt accessedAt accessCount decayWeight forgottenAt trust
  }`)

/** A memory as the API gives it, whatever its kind. */
export type Memory = Omit<ResultOf<typeof MEMORY>, '__typename'>

/** Takes the place of `memoryContent` in queries that do not need a kind's own fields. */
export const NO_CONTENT = graphql('fragment MemoryContent on Memory { id }')
