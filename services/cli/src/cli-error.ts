import type { LocalDaemonError, LocalDaemonErrorCode } from '@daybook/local-daemon/local-daemon-error'
import { EXIT, type ExitCode } from './exit-codes.ts'

/** An expected failure: a sentence for the person at the terminal, and what to do next. */
export class CliError extends Error {
  readonly exitCode: ExitCode
  /** A word for machines, such as `VALIDATION`. */
  readonly code: string
  /** One line each: what to try. */
  readonly hints: readonly string[]

  constructor(exitCode: ExitCode, code: string, message: string, hints: readonly string[] = []) {
    super(message)
    this.exitCode = exitCode
    this.code = code
    this.hints = hints
  }
}

/** The command line is wrong. */
export class UsageError extends CliError {
  constructor(message: string, hints: readonly string[] = []) {
    super(EXIT.usage, 'USAGE', message, hints)
  }
}

/** No Daybook answers. Trying again later may succeed. */
export class UnreachableError extends CliError {
  /** Whether the request may have been carried out, so that only its answer was lost. */
  readonly mayHaveArrived: boolean

  constructor(message: string, hints: readonly string[], mayHaveArrived = false, code = 'UNREACHABLE') {
    super(EXIT.unreachable, code, message, hints)
    this.mayHaveArrived = mayHaveArrived
  }
}

/** No key, or one that the daemon does not know. */
export class UnauthorisedError extends CliError {
  constructor(message: string, hints: readonly string[]) {
    super(EXIT.unauthorised, 'UNAUTHENTICATED', message, hints)
  }
}

/** Exit codes of what keeps a daemon from running or ending. */
const EXIT_CODES: Readonly<
  Record<Exclude<LocalDaemonErrorCode, 'INVALID_URL' | 'NO_API_KEY' | 'DAEMON_NOT_RUNNING'>, ExitCode>
> = {
  DAEMON_DID_NOT_START: EXIT.unreachable,
  DAEMON_NOT_READY: EXIT.unreachable,
  DAEMON_DID_NOT_STOP: EXIT.failed,
  PROGRAM_MISSING: EXIT.failed,
}

/** A failure of this machine's daemon, as the CLI tells it. */
export function fromLocalDaemon({ code, message, hints }: LocalDaemonError): CliError {
  if (code === 'INVALID_URL') return new UsageError(message, hints)
  if (code === 'DAEMON_NOT_RUNNING') return new UnreachableError(message, hints, false, code)
  if (code === 'NO_API_KEY') return new UnauthorisedError(message, hints)
  return new CliError(EXIT_CODES[code], code, message, hints)
}

/** Hints by the code of a refusal. */
const HINTS: Readonly<Record<string, readonly string[]>> = {
  FORBIDDEN: [
    'The daemon keeps such a key in <its data folder>/api-key: name that folder with --data-dir',
    'or give one in DAYBOOK_API_KEY',
  ],
  QUARANTINED: ['See why:  daybook quarantine, with the key of whoever administers the project'],
  BUSY: [
    'See what is under way:  daybook operations',
    'Watch it, or end it:    daybook operations watch <id>, daybook operations cancel <id>',
  ],
  REFUSED: ['See what there is:  daybook reindex --list'],
}

/** Daybook refused a request. `field` is the path of the wrong input, if an input is wrong. */
export class RefusedError extends CliError {
  readonly field: string | null
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  /** Milliseconds after which it may; null if Daybook did not say. */
  readonly retryAfterMs: number | null

  constructor(
    code: string,
    message: string,
    { field = null, retryable = false, retryAfterMs = null }: Partial<Refusal> = {},
  ) {
    const refused = code === 'FORBIDDEN' ? EXIT.unauthorised : EXIT.failed
    super(retryable ? EXIT.unreachable : refused, code, message, retryable ? [] : HINTS[code])
    this.field = field
    this.retryable = retryable
    this.retryAfterMs = retryAfterMs
  }
}

interface Refusal {
  readonly field: string | null
  readonly retryable: boolean
  readonly retryAfterMs: number | null
}
