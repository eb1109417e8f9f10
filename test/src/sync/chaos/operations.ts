import type { GraphQLAnswer, GraphQLRequest } from '../../support/graphql.ts'

/** A memory as a mutation or a read answers it. */
export interface Shown {
  readonly id: string
  readonly version: number
  readonly shared: boolean
  readonly forgottenAt: string | null
  readonly metadata: { readonly mark?: string } | null
}

/** A mutation's result, whichever member of the union it is. */
export interface Result {
  readonly __typename: string
  readonly sequence?: number
  readonly hash?: string
  readonly duplicate?: boolean
  readonly memory?: Shown
  readonly code?: string
  readonly message?: string
}

/** A mutation, and how to find its results in the answer. */
export interface Operation {
  readonly request: GraphQLRequest
  resultsOf(answer: GraphQLAnswer<Record<string, unknown>>): readonly (Result | null)[]
}

const MEMORY = 'id version shared forgottenAt metadata'
const RESULT = (type: string) =>
  `{ __typename ... on ${type} { sequence hash duplicate memory { ${MEMORY} } } ... on DaybookError { code message } }`

const operation = (query: string, variables: object): Operation => ({
  request: { query, variables: { ...variables } },
  resultsOf: ({ data }) => {
    const done = data?.['done']
    return Array.isArray(done) ? (done as Result[]) : [(done ?? null) as Result | null]
  },
})

/** An input of `remember`. */
export interface Input {
  readonly content: object
  readonly metadata: { readonly mark: string }
  readonly idempotencyKey: string | null
}

/** The mutation `remember`. */
export const remember = (input: Input): Operation =>
  operation(`mutation ($input: RememberInput!) { done: remember(input: $input) ${RESULT('Remembered')} }`, {
    input,
  })

/** The mutation `rememberMany`. */
export const rememberMany = (inputs: readonly Input[]): Operation =>
  operation(
    `mutation ($inputs: [RememberInput!]!) { done: rememberMany(inputs: $inputs) ${RESULT('Remembered')} }`,
    { inputs },
  )

/** The mutation `indexDocument`. */
export const indexDocument = (document: {
  readonly id: string
  readonly content: string
  readonly metadata: { readonly mark: string }
  readonly key: string | null
}): Operation =>
  operation(
    `mutation ($id: String!, $content: String!, $metadata: JSON, $key: String) {
      done: indexDocument(id: $id, content: $content, metadata: $metadata, idempotencyKey: $key) ${RESULT('Remembered')}
    }`,
    document,
  )

/** The mutation `revise`. */
export const revise = (change: {
  readonly id: string
  readonly input: object
  readonly expectedVersion: number | null
  readonly key: string | null
}): Operation =>
  operation(
    `mutation ($id: ID!, $input: ReviseInput!, $expectedVersion: Int, $key: String) {
      done: revise(id: $id, input: $input, expectedVersion: $expectedVersion, idempotencyKey: $key) ${RESULT('Revised')}
    }`,
    change,
  )

/** The mutation `forget` or `restore`. */
export const change = (
  type: 'forget' | 'restore',
  asked: { readonly id: string; readonly key: string },
): Operation =>
  operation(
    `mutation ($id: ID!, $key: String) {
      done: ${type}(id: $id, idempotencyKey: $key) ${RESULT(type === 'forget' ? 'Forgotten' : 'Restored')}
    }`,
    asked,
  )

/** The mutation `erase`. */
export const erase = (id: string): Operation =>
  operation(
    `mutation ($id: ID!) { done: erase(id: $id) { __typename ... on DaybookError { code message } } }`,
    { id },
  )

/** The place of an event that a read has to include. */
export interface Receipt {
  readonly sequence: number
  readonly hash: string
}

/** Reads a memory. */
export const readMemory = (id: string, receipt: Receipt | null): GraphQLRequest => ({
  query: `query ($id: ID!, $sequence: Int, $hash: String) {
    memory(id: $id, atLeast: $sequence, atLeastHash: $hash) { ${MEMORY} }
  }`,
  variables: { id, ...receipt },
})

/** Searches. */
export const search = (query: string): GraphQLRequest => ({
  query:
    'query ($query: String!) { search(query: $query, limit: 10) { hits { score memory { id version } } } }',
  variables: { query },
})
