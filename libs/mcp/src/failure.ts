import { graphql } from '@daybook/api/graphql'
import { ApiError } from './daybook.ts'

/** The fields of an expected failure. Spread it on the result of every mutation. */
export const FAILURE = graphql(`
  fragment Failure on DaybookError {
    ... on ValidationError { field }
    ... on ConflictError { currentVersion }
    code message
  }`)

interface Refusal {
  readonly code: string
  readonly message: string
  readonly field?: string
  readonly currentVersion?: number | null
}

/** Whether the result of a mutation is an expected failure. */
export function isFailure<Result extends object>(result: Result): result is Extract<Result, Refusal> {
  return 'code' in result && 'message' in result
}

/** The result if it is a success. @throws ApiError if it is a failure */
export function succeeded<Result extends object>(result: Result): Exclude<Result, Refusal> {
  if (!isFailure(result)) return result as Exclude<Result, Refusal>
  const { code, message, field = null } = result as Refusal
  throw new ApiError(code, message, { field })
}
