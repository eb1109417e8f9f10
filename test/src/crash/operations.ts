import type { GraphQLAnswer, GraphQLRequest } from '../support/graphql.ts'

/** A mutation's result, whichever member of the union it is. */
export interface MutationResult {
  readonly __typename: string
  readonly sequence?: number
  readonly hash?: string
  readonly duplicate?: boolean
  readonly memory?: {
    readonly id: string
    readonly version: number
    readonly sequence: number
    readonly text: string
    readonly forgottenAt: string | null
  }
  readonly code?: string
  readonly message?: string
  readonly currentVersion?: number | null
}

/** The input of a note to remember. */
export interface RememberInput {
  readonly content: { readonly note: { readonly text: string } }
  readonly context: string | null
  readonly labels: readonly string[]
  readonly metadata: { readonly mark: string }
  readonly idempotencyKey: string | null
}

/** A mutation, and how to find its results in the answer: one, or one per input for rememberMany. */
export interface Operation {
  readonly request: GraphQLRequest
  resultsOf(answer: GraphQLAnswer<Record<string, unknown>>): readonly (MutationResult | null)[] | null
}

const SUCCESS = 'sequence hash duplicate memory { id version sequence text forgottenAt }'
const REFUSALS = `
  ... on ConflictError { code message currentVersion }
  ... on ValidationError { code message }`
const NOT_FOUND = '... on NotFoundError { code message }'

const single =
  (field: string): Operation['resultsOf'] =>
  ({ data }) => {
    const result = (data?.[field] ?? null) as MutationResult | null
    return result === null ? null : [result]
  }

/** The mutation `remember`. */
export function remember(input: RememberInput): Operation {
  const query = `mutation ($input: RememberInput!) {
    remember(input: $input) { __typename ... on Remembered { ${SUCCESS} } ${REFUSALS} }
  }`
  return { request: { query, variables: { input } }, resultsOf: single('remember') }
}

/** The mutation `rememberMany`. */
export function rememberMany(inputs: readonly RememberInput[]): Operation {
  const query = `mutation ($inputs: [RememberInput!]!) {
    rememberMany(inputs: $inputs) { __typename ... on Remembered { ${SUCCESS} } ${REFUSALS} }
  }`
  return {
    request: { query, variables: { inputs } },
    resultsOf: ({ data }) => (data?.rememberMany ?? null) as (MutationResult | null)[] | null,
  }
}

/** The mutation `revise`. */
export function revise(variables: {
  readonly id: string
  readonly text: string
  readonly mark: string
  readonly expectedVersion: number | null
  readonly key: string | null
}): Operation {
  const query = `mutation ($id: ID!, $input: ReviseInput!, $expectedVersion: Int, $key: String) {
    revise(id: $id, input: $input, expectedVersion: $expectedVersion, idempotencyKey: $key) {
      __typename ... on Revised { ${SUCCESS} } ${REFUSALS} ${NOT_FOUND}
    }
  }`
  const { text, mark, ...rest } = variables
  const input = { content: { note: { text } }, metadata: { mark } }
  return { request: { query, variables: { ...rest, input } }, resultsOf: single('revise') }
}

/** The mutation `forget`. */
export function forget(variables: {
  readonly id: string
  readonly expectedVersion: number | null
}): Operation {
  const query = `mutation ($id: ID!, $expectedVersion: Int) {
    forget(id: $id, expectedVersion: $expectedVersion) {
      __typename ... on Forgotten { ${SUCCESS} } ${REFUSALS} ${NOT_FOUND}
    }
  }`
  return { request: { query, variables }, resultsOf: single('forget') }
}

/** The mutation `restore`. */
export function restore(variables: {
  readonly id: string
  readonly version: number | null
  readonly expectedVersion: number | null
}): Operation {
  const query = `mutation ($id: ID!, $version: Int, $expectedVersion: Int) {
    restore(id: $id, version: $version, expectedVersion: $expectedVersion) {
      __typename ... on Restored { ${SUCCESS} } ${REFUSALS} ${NOT_FOUND}
    }
  }`
  return { request: { query, variables }, resultsOf: single('restore') }
}
