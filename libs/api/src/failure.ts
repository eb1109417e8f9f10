import { graphql } from './graphql.ts'

/** The fields of an expected failure. Spread it on the result of every mutation. */
export const FAILURE = graphql(`
  fragment Failure on DaybookError {
    ... on ValidationError { field }
    ... on ConflictError { currentVersion memoryId }
    ... on LimitExceededError { limit most }
    code message
  }`)

/** The fields that only the failures in a result's union have. */
export interface Failure {
  readonly code: string
  readonly message: string
}

/** Whether a result is an expected failure. */
export function isFailure<Result extends object>(result: Result): result is Extract<Result, Failure> {
  return 'code' in result && 'message' in result
}

/** The field that failed validation; null if the failure names none. */
export const fieldOf = (failure: Failure & { readonly field?: string }): string | null =>
  failure.field ?? null
