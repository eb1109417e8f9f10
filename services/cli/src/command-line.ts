import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import type { InputOf } from '@daybook/api/graphql'
import type { LocalDaemonError, LocalDaemonErrorCode } from '@daybook/local-daemon/daemon-state'
import { isKindName, KIND_NAMES, type KindName } from '@daybook/memory/kinds/index'

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

interface Terminal {
  readonly input: Readable & { readonly isTTY?: boolean }
  readonly output: Writable & { readonly isTTY?: boolean }
}

/**
 * Asks a person before something is destroyed. With `yes` it does not ask.
 * @throws UsageError if there is no terminal to ask on, CliError if the answer is not yes
 */
export async function confirm(
  question: string,
  yes: boolean,
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (yes) return
  if (input.isTTY !== true || output.isTTY !== true)
    throw new UsageError(`${question} There is no terminal to ask on.`, [
      'If you are sure, say so with --yes',
    ])
  const lines = createInterface({ input, output })
  // Ctrl-C and Ctrl-D close the prompt without an answer.
  const closed = new AbortController()
  lines.once('close', () => closed.abort())
  try {
    const answer = await lines.question(`${question} [y/N] `, { signal: closed.signal }).catch(() => '')
    if (/^y(?:es)?$/iu.test(answer.trim())) return
  } finally {
    lines.close()
  }
  throw new CliError(EXIT.failed, 'NOT_CONFIRMED', 'Nothing was changed.')
}

/** The error for a value that is neither a date nor a time. */
export const MOMENT_HINT = 'It must be a date or a time, such as 2026-11-21 or 2026-11-21T09:30:00Z.'

/** The error for a value that says nothing about since when. */
export const SINCE_HINT =
  'It must be how long ago (30m, 2h, 7d), today, yesterday, or a date or a time, such as 2026-11-21.'

/** Converts kinds as people write them to the API's spelling. @throws UsageError that lists the kinds */
export function toApiKinds(given: readonly string[]): InputOf<'MemoryKind'>[] {
  return given.map((kind) => {
    const name = kind.toLowerCase()
    if (!isKindName(name))
      throw new UsageError(`There is no kind "${kind}"`, [`Kinds: ${KIND_NAMES.join(', ')}`])
    return name.toUpperCase() as Uppercase<KindName>
  })
}
