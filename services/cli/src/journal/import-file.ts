import type { ImportProgress, ImportResult } from '@daybook/journal/import/import-progress'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/size-in-words'
import { CliError } from '../cli-error.ts'
import { readHead } from '../client/projections.ts'
import { EXIT } from '../exit-codes.ts'
import { duration } from '../output/duration.ts'
import { note, print, printJson } from '../output/print.ts'
import type { Progress } from '../progress/render-progress.ts'
import { showProgress } from '../progress/show-progress.ts'
import type { Connection } from '../settings.ts'
import { sendJournal } from './send-journal.ts'

interface JournalFile {
  readonly connection: Connection
  readonly source: AsyncIterable<Uint8Array>
  readonly json: boolean
  readonly signal: AbortSignal
}

/** Without a progress bar, nothing is said about imports shorter than this, in milliseconds. */
const QUIET_MS = 3_000

/**
 * Imports an exported journal and prints the result.
 * @returns the last sequence of the key's own project, to wait until it is searchable; null if it was
 * interrupted
 * @throws CliError, with what to do next
 */
export async function importJournalFile({
  connection,
  source,
  json,
  signal,
}: JournalFile): Promise<number | null> {
  const startedAt = performance.now()
  if (!json)
    note('This is an exported journal: its projects are imported with their ids, sequences and times.')
  const display = await showProgress({ quietMs: QUIET_MS })
  try {
    const result = await sendJournal({
      connection,
      source,
      signal,
      onProgress: (progress) => display.update(progressOf(progress)),
    }).finally(display.stop)
    const seconds = (performance.now() - startedAt) / 1000
    if (json) printJson({ ...result, seconds: Number(seconds.toFixed(3)), ended: 'complete' })
    else print(describe(result, seconds))
    return await readHead(connection)
  } catch (error) {
    if (!signal.aborted) throw withNextSteps(error)
    note('Interrupted. What was imported stays; run the same import again to go on.')
    process.exitCode = EXIT.interrupted
    return null
  }
}

const progressOf = ({ project, sequence, events }: ImportProgress): Progress => ({
  work: 'import',
  phase: safeLine(project),
  done: sequence,
  total: events,
})

function describe({ imported, alreadyThere, projects }: ImportResult, seconds: number): string {
  const names = projects.map(({ name, events }) => `  ${safeLine(name)}: ${grouped(events)} events`)
  const taken = projects.filter(({ tookOver }) => tookOver).map(({ name }) => safeLine(name))
  return [
    `Done: ${grouped(imported)} events imported, ${grouped(alreadyThere)} already there, in ${duration(seconds)}`,
    ...names,
    ...(taken.length > 0
      ? [`The empty project of the same name gave up its place; its keys now open: ${taken.join(', ')}`]
      : []),
    'The indexes are being written:  daybook status shows how far they are.',
  ].join('\n')
}

/** Adds a hint that fits the error. Trying again never loses anything. */
function withNextSteps(error: unknown): unknown {
  if (!(error instanceof CliError) || error.exitCode === EXIT.unauthorised) return error
  const hint = HINTS[error.code] ?? 'What was imported stays. Run the same import again to go on.'
  return new CliError(error.exitCode, error.code, error.message, [hint, ...error.hints])
}

const HINTS: Readonly<Record<string, string>> = {
  INVALID_EXPORT: 'What was imported before it stays, and is sound. Export again, and import that file.',
  IMPORT_CONFLICT: 'What is here already was not touched.',
  FORBIDDEN: 'Nothing was imported.',
}
