import { CliError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'

/** Why Daybook could not be made, or ended as, a service. */
export type ServiceErrorCode =
  /** There is no service manager here that is known. */
  | 'NOT_SUPPORTED'
  /** This Daybook may vanish or change under a service: an npx cache, a repository. */
  | 'NOT_INSTALLED'
  /** The service manager is missing, or refuses. */
  | 'SERVICE_MANAGER'
  /** The file of the service is not one that Daybook made. */
  | 'SERVICE_NOT_OURS'
  /** It was installed, and does not run. */
  | 'SERVICE_DID_NOT_START'

/** An expected failure around the service. */
export class ServiceError extends CliError {
  constructor(code: ServiceErrorCode, message: string, hints: readonly string[] = []) {
    super(EXIT.failed, code, message, hints)
  }
}
