import { LocalDaemonError } from '@daybook/local-daemon/daemon-state'
import { DaybookError } from '@daybook/memory/errors'
import { safeText } from '@daybook/memory/safe-text'
import { reasonOf } from '@daybook/runtime/reason-of'
import { CliError, EXIT, type ExitCode, fromLocalDaemon, RefusedError } from '../command-line.ts'
import { toJson } from './print.ts'
import { columnsOf, wrap } from './table.ts'

/** The text (JSON with `json`) and the exit code of a failure. */
export function renderError(error: unknown, json: boolean): { text: string; exitCode: ExitCode } {
  const failure = asCliError(error)
  const field = failure instanceof RefusedError ? failure.field : null
  if (json) {
    const { code, message, hints } = failure
    return { text: toJson({ error: { code, message, field, hints } }), exitCode: failure.exitCode }
  }
  // Most messages about a field begin with its path already.
  const where = field === null || failure.message.includes(field) ? '' : `${field}: `
  const lines = [`daybook: ${where}${failure.message}`, ...failure.hints.map((hint) => `  ${hint}`)]
  return { text: wrap(safeText(lines.join('\n')), columnsOf(process.stderr)), exitCode: failure.exitCode }
}

function asCliError(error: unknown): CliError {
  if (error instanceof CliError) return error
  if (error instanceof LocalDaemonError) return fromLocalDaemon(error)
  // Of our own libraries, such as a data folder that may not be written.
  if (error instanceof DaybookError) return new CliError(EXIT.failed, error.code, error.message)
  return unexpected(error)
}

function unexpected(error: unknown): CliError {
  return new CliError(EXIT.failed, 'UNEXPECTED', `That should not happen: ${reasonOf(error)}`, [
    'This is a mistake in the CLI, not in what you typed. DAYBOOK_DEBUG=1 shows where.',
  ])
}
