import { type Failure, fieldOf, isFailure } from '@daybook/client/documents/failure'
import { RefusedError } from '../cli-error.ts'

/** Returns the result if it is a success. @throws RefusedError if it is a failure */
export function succeeded<Result extends object>(result: Result): Exclude<Result, Failure> {
  if (!isFailure(result)) return result as Exclude<Result, Failure>
  throw new RefusedError(result.code, result.message, { field: fieldOf(result) })
}
