import { graphql } from '@daybook/api/graphql'
import { RefusedError } from '../cli-error.ts'

/** An expected failure; to be spread on the result of every mutation. */
export const FAILURE = graphql(`
  fragment Failure on DaybookError {
    ... on ValidationError { field }
    code message
  }`)

/** What only failures have among the members of a result's union. */
interface Refusal {
  readonly code: string
  readonly message: string
}

/** Whether a member of a result’s union is an expected failure. */
export function isFailure<Result extends object>(result: Result): result is Extract<Result, Refusal> {
  return 'code' in result && 'message' in result
}

/** The success among a mutation's results. @throws RefusedError */
export function succeeded<Result extends object>(result: Result): Exclude<Result, Refusal> {
  if (!isFailure(result)) return result as Exclude<Result, Refusal>
  throw new RefusedError(result.code, result.message, { field: fieldOf(result) })
}

/** The field that a validation failed for. */
export const fieldOf = (failure: Refusal & { readonly field?: string }): string | null =>
  failure.field ?? null
