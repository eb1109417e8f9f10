/** What the process ends with. Scripts rely on these; the help prints them. */
export const EXIT = {
  ok: 0,
  /** Daybook answered and said no, or a part of the work failed. */
  failed: 1,
  /** The command line is wrong. */
  usage: 2,
  /** The daemon does not answer, or cannot serve now. */
  unreachable: 3,
  /** No API key, one that opens nothing, or one that may not do this. */
  unauthorised: 4,
  /** Ctrl-C, as shells count it. `tail` and `status --watch` end with 0: there it is the way to end. */
  interrupted: 130,
} as const

export type ExitCode = (typeof EXIT)[keyof typeof EXIT]
