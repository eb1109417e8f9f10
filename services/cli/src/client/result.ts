import { graphql } from '@daybook/api/graphql'
import { RefusedError } from '../cli-error.ts'

/** The fields of an expected failure. Spread it on the result of every mutation. */
export const FAILURE = graphql(`
  fragment Failure on DaybookError {
    ... on ValidationError { field }
    code message
  }`)

/** The fields that only the failures in a result's union have. */
interface Refusal {
  readonly code: string
  readonly message: string
}

/** Whether a result is an expected failure. */
export function isFailure<Result extends object>(result: Result): result is Extract<Result, Refusal> {
  return 'code' in result && 'message' in result
}

/** Returns the result if it is a success. @throws RefusedError if it is a failure */
export function succeeded<Result extends object>(result: Result): Exclude<Result, Refusal> {
  if (!isFailure(result)) return result as Exclude<Result, Refusal>
  throw new RefusedError(result.code, result.message, { field: fieldOf(result) })
}

/** The field that failed validation; null if the failure names none. */
export const fieldOf = (failure: Refusal & { readonly field?: string }): string | null =>
  failure.field ?? null
