/** Why this machine's daemon cannot be used, as a word that programs may switch on. */
export type LocalDaemonErrorCode =
  /** The given address is not a URL. */
  | 'INVALID_URL'
  | 'NO_API_KEY'
  /** It ended before it served; the message holds the end of its log. */
  | 'DAEMON_DID_NOT_START'
  /** A process has the data folder, but does not serve in time. */
  | 'DAEMON_NOT_READY'
  | 'DAEMON_DID_NOT_STOP'
  /** Nothing serves the data folder, or no longer at the address that it named, so its key has nowhere to go. */
  | 'DAEMON_NOT_RUNNING'
  /** A program of Daybook, such as the daemon, is not where it should be. */
  | 'PROGRAM_MISSING'

/** An expected failure: a sentence for whoever uses this machine, and what to do next. */
export class LocalDaemonError extends Error {
  readonly code: LocalDaemonErrorCode
  /** One line each: what to try. */
  readonly hints: readonly string[]

  constructor(code: LocalDaemonErrorCode, message: string, hints: readonly string[] = []) {
    super(message)
    this.name = new.target.name
    this.code = code
    this.hints = hints
  }
}
