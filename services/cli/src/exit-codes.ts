/** The exit codes of the process. Scripts rely on them; the help prints them. */
export const EXIT = {
  ok: 0,
  /** Daybook answered and said no, or a part of the work failed. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The daemon does not answer, or cannot serve now. */
  unreachable: 3,
  /** The API key is missing, unknown, or may not do this. */
  unauthorised: 4,
  /**
   * Ctrl-C, by the shells' convention. `tail` and `status --watch` end with 0: there Ctrl-C is the normal
   * end.
   */
  interrupted: 130,
} as const

/** One of the exit codes. */
export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
