import type { ImportProgress, ImportResult } from '@daybook/journal/import/import-journal'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import { readLines } from '@daybook/runtime/read-lines'
import { readHead } from '../client/operations.ts'
import { openStream } from '../client/subscribe.ts'
import { CliError, EXIT, RefusedError } from '../command-line.ts'
import { duration, note, print, printJson } from '../output/print.ts'
import { type Progress, showProgress } from '../progress/show-progress.ts'
import type { Connection } from '../settings.ts'

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

const LINE_FEED = 0x0a

/** The most bytes of the first line to read; a header is far shorter. */
const LONGEST = 64 * 1024

/**
 * Bytes in which to look for a NUL, as git does: a file with one is no text. Many formats have a line feed
 * before it.
 */
const TOLD_BY = 8_000

/** The beginning of a source. */
interface Peeked {
  /** The first line, cut at 64 KiB. */
  readonly line: string
  /** Whether the source is not text. */
  readonly binary: boolean
  /** The source as if nothing had been read from it. */
  readonly source: AsyncIterable<Uint8Array>
}

/** Reads the beginning of a source without consuming it. */
export async function peekLine(source: AsyncIterable<Uint8Array>): Promise<Peeked> {
  const iterator = source[Symbol.asyncIterator]()
  const read: Uint8Array[] = []
  let bytes = 0
  while (bytes < LONGEST) {
    const next = await iterator.next()
    if (next.done === true) break
    read.push(next.value)
    bytes += next.value.byteLength
    if (next.value.includes(LINE_FEED)) break
  }
  const begun = Buffer.concat(read)
  const line = new TextDecoder().decode(begun).split('\n', 1)[0] ?? ''
  return { line, binary: begun.subarray(0, TOLD_BY).includes(0), source: continued(read, iterator) }
}

async function* continued(
  read: readonly Uint8Array[],
  iterator: AsyncIterator<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  yield* read
  for (let next = await iterator.next(); next.done !== true; next = await iterator.next()) yield next.value
}

/** What to import, and whom to tell about it. */
interface JournalImport {
  readonly connection: Connection
  readonly source: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
  readonly onProgress: (progress: ImportProgress) => void
}

interface AnswerLine {
  readonly progress?: ImportProgress
  readonly result?: ImportResult
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean }
}

/**
 * Sends an exported journal as it is read.
 * @throws UnreachableError, UnauthorisedError, RefusedError; the signal's reason
 */
async function sendJournal({ connection, source, signal, onProgress }: JournalImport): Promise<ImportResult> {
  const answer = await openStream(connection, '/journal/import', { method: 'POST', body: source, signal })
  for await (const { text } of readLines(answer)) {
    const { progress, result, error } = JSON.parse(text ?? '{}') as AnswerLine
    if (error !== undefined) throw new RefusedError(error.code, error.message, { retryable: error.retryable })
    if (progress !== undefined) onProgress(progress)
    if (result !== undefined) return result
  }
  throw new CliError(EXIT.failed, 'INCOMPLETE', 'The daemon gave no result for the import.')
}
