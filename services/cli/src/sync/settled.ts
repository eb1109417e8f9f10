import { type Failure, isFailure } from '@daybook/client/documents/failure'
import { CliError } from '../cli-error.ts'
import { succeeded } from '../client/result.ts'
import { EXIT } from '../exit-codes.ts'

/** As `succeeded`; what sync refuses has a hint of its own. @throws RefusedError, CliError REFUSED */
export function settled<Result extends object>(result: Result): Exclude<Result, Failure> {
  if (isFailure(result) && result.code === 'REFUSED')
    throw new CliError(EXIT.failed, result.code, result.message, ['How it stands:  daybook sync status'])
  return succeeded(result)
}
