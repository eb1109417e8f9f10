import { RefusedError } from '../cli-error.ts'

/** The parts of an expected failure in a mutation's result; for selections on every result union. */
export const ERROR_FIELDS = `
  ... on ValidationError { field }
  ... on ConflictError { currentVersion }
  ... on DaybookError { code message }`

/** The same for results of what operators ask for. */
export const ADMIN_ERROR_FIELDS = `
  ... on ValidationError { field }
  ... on DaybookError { code message }`

export interface Failure {
  readonly __typename: 'ValidationError' | 'ConflictError' | 'NotFoundError' | 'OperationRefusedError'
  readonly code: string
  readonly message: string
  readonly field?: string
}

export function isFailure(result: { readonly __typename: string }): result is Failure {
  return 'code' in result && 'message' in result
}

/** The success among a mutation's results. @throws RefusedError */
export function succeeded<Success extends { readonly __typename: string }>(
  result: Success | Failure,
): Success {
  if (!isFailure(result)) return result as Success
  throw new RefusedError(result.code, result.message, { field: result.field ?? null })
}
