import { type Failure, fieldOf, isFailure } from '@daybook/client/documents/failure'
import { ApiError } from './daybook.ts'

/** The result if it is a success. @throws ApiError if it is a failure */
export function succeeded<Result extends object>(result: Result): Exclude<Result, Failure> {
  if (!isFailure(result)) return result as Exclude<Result, Failure>
  const { code, message } = result as Failure
  throw new ApiError(code, message, { field: fieldOf(result as Failure) })
}
