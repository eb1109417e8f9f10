import { CliError } from '../../cli-error.ts'
import { EXIT } from '../../exit-codes.ts'

/** Why a client's configuration was left as it is. */
export type ConfigErrorCode =
  /** Its text cannot be read: not JSON, not TOML, not UTF-8. */
  | 'CONFIG_UNREADABLE'
  /** It has a form that is not edited here, such as an inline table. */
  | 'CONFIG_FORM'
  /** Another program wrote it again and again meanwhile. */
  | 'CONFIG_BUSY'
  /** The system refuses to read or write it. */
  | 'CONFIG_ACCESS'
  /** The name belongs to another server. */
  | 'ENTRY_TAKEN'
  /** The client has no configuration of this scope. */
  | 'NO_SUCH_SCOPE'
  /** The client cannot reach a server in the way that was asked for. */
  | 'NOT_SUPPORTED'

/** A client's configuration was left as it is. */
export class ConfigError extends CliError {
  constructor(code: ConfigErrorCode, message: string, hints: readonly string[] = []) {
    super(EXIT.failed, code, message, hints)
  }
}
