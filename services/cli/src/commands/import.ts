import { addAbortSignal } from 'node:stream'
import { isExportHeader } from '@daybook/journal/export/export-format'
import { readLines } from '@daybook/runtime/read-lines'
import { type Command, Option } from 'commander'
import { addExamples, addNotes, collect, type Invocation, invocation, wholeNumber } from '../command.ts'
import { EXIT, UsageError } from '../command-line.ts'
import type { ForeignFile, ImportItem } from '../import/formats/format.ts'
import { FORMATS, openForeign } from '../import/formats/open-foreign.ts'
import { importMemories, type MemoriesImport, waitUntilSearchable } from '../import/run-import.ts'
import { foreignLines, openSource, unreadable } from '../import/source.ts'
import { type Unpacked, unpack } from '../import/unpack.ts'
import { importJournalFile, peekLine } from '../journal/import-file.ts'
import { duration, note } from '../output/print.ts'
import { showProgress } from '../progress/show-progress.ts'
import { onExistingOption, toOnExisting } from '../remember/remember-input.ts'
import type { Connection } from '../settings.ts'

/** JSON Lines, ours, beside the formats of other programs. */
const JSON_LINES = 'jsonl'

/** Adds the arguments, options and action of `daybook import`. */
export function configureImport(command: Command): void {
  command
    .argument(
      '<path>',
      'JSON Lines: memories, each a RememberInput of the GraphQL API, or what `daybook export` wrote; or a folder, file or .zip of another program; "-" reads JSON Lines from standard input',
    )
    .addOption(
      new Option('--format <format>', 'what it is; told by its name and content unless given').choices([
        JSON_LINES,
        ...FORMATS.map(({ name }) => name),
      ]),
    )
    .option('--dry-run', 'of other programs: say what would be imported, and write nothing')
    .option('--context <name>', 'of other programs: the namespace of memories that have none')
    .option('--label <label>', 'of other programs: a label for all of them. May be repeated.', collect)
    .option('--wait', 'wait until all of it can be searched, by words and by meaning')
    .addOption(onExistingOption())
    .option('--stop-on-error', 'of memories: stop at the first that cannot be remembered')
    .option(
      '--retry-seconds <n>',
      'of memories: how long to wait for a daemon that is gone (default 60)',
      wholeNumber(),
    )
    .action((path: string, options: ImportOptions, self: Command) => importPath(path, options, self))
  addExamples(command, [
    `echo '{"content": {"note": {"text": "a first one"}}, "labels": ["import"]}' > memories.jsonl`,
    'daybook import memories.jsonl --wait',
    'zcat memories.jsonl.gz | daybook import -',
    'daybook import daybook-journal.jsonl',
    'daybook import ~/vault --dry-run',
    'daybook import chatgpt-export.zip --label chats',
  ])
  addNotes(
    command,
    `
Run it again as often as you like, after a failure too: what is there already is not added twice. Memories that cannot be
remembered are named on standard error, and the exit code is 1 then.

Other programs: ${FORMATS.map(({ name, description }) => `${description} (${name})`).join('; ')}. Files of \`daybook export
--markdown\` revise the memories they were written from, where they were changed. A .zip is imported as the folder
that it becomes when you unpack it.

An exported journal is known by its first line. Its events keep their ids, sequences, times and hashes; what is there
already must be the same, else nothing is changed. It needs a key that may run the whole Daybook, and an empty Daybook
or one that has the same journal up to some event: import before anything is remembered in its projects.`,
  )
}

interface ImportOptions {
  readonly format?: string
  readonly dryRun?: boolean
  readonly context?: string
  readonly label?: readonly string[]
  readonly wait?: boolean
  readonly onExisting?: string
  readonly stopOnError?: boolean
  readonly retrySeconds?: number
}

/** Without a progress bar, nothing is said about work shorter than this, in milliseconds. */
const QUIET_MS = 3_000

async function importPath(path: string, options: ImportOptions, command: Command): Promise<void> {
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  const invoked: Invoked = { ...invocation(command), options, signal: ending.signal }
  await using source = await unpack(path, ending.signal).catch((error: unknown) => {
    if (!ending.signal.aborted) throw unreadable(path, error)
    return null
  })
  if (source === null) process.exitCode = EXIT.interrupted
  else await importFrom(source, path, invoked)
}

/** @param name of what is imported, for messages */
async function importFrom({ path, leftOut }: Unpacked, name: string, invoked: Invoked): Promise<void> {
  const { options } = invoked
  const file = await foreignFile(path, options.format, name)
  if (file !== null) return importForeign({ ...file, read: () => both(leftOut, file.read()) }, invoked)
  const alone = (['dryRun', 'context', 'label'] as const).find((one) => options[one] !== undefined)
  if (alone !== undefined)
    throw new UsageError(`--${alone.replace('R', '-r')} is for files of other programs`, [
      `--format ${FORMATS.map((one) => one.name).join(', ')}`,
    ])
  return importLines(path, name, invoked)
}

async function* both(first: readonly ImportItem[], others: ReturnType<ForeignFile['read']>) {
  yield* first
  yield* others
}

/** What an import was called with. */
interface Invoked extends Invocation {
  readonly options: ImportOptions
  /** Ends the import. */
  readonly signal: AbortSignal
}

/** @returns null for JSON Lines and exported journals. @throws UsageError if the path cannot be read */
async function foreignFile(
  path: string,
  given: string | undefined,
  name: string,
): Promise<ForeignFile | null> {
  if (path === '-' || given === JSON_LINES) return null
  try {
    return await openForeign(path, given, name)
  } catch (error) {
    throw error instanceof UsageError ? error : unreadable(name, error)
  }
}

async function importForeign(file: ForeignFile, invoked: Invoked): Promise<void> {
  const { connection, json, options } = invoked
  const foreign = { file, connection, additions: { context: options.context, labels: options.label } }
  if (options.dryRun === true) {
    const { preview } = await import('../import/run-import.ts')
    return preview({ ...foreign, json })
  }
  return importAndWait((onBad) => foreignLines(foreign, onBad), null, invoked)
}

async function importLines(file: string, name: string, invoked: Invoked): Promise<void> {
  const { connection, json, options, signal } = invoked
  const { source: opened, totalBytes } = await openSource(file)
  // Standard input may stay silent for a long time; the signal must end that wait too.
  addAbortSignal(signal, opened)
  const peeked = await peekLine(opened).catch((error: unknown) => {
    if (!signal.aborted) throw error
    process.exitCode = EXIT.interrupted
    return null
  })
  if (peeked === null) return
  const { line, binary, source } = peeked
  if (binary) {
    opened.destroy()
    throw new UsageError(`${name} cannot be imported: it is not a text file with a JSON object a line`)
  }
  if (isJournal(line)) {
    const sequence = await importJournalFile({ connection, source, json, signal }).finally(() =>
      // An open standard input would keep the process alive.
      opened.destroy(),
    )
    if (sequence !== null && options.wait === true) await waitAndSay(connection, sequence, signal)
    return
  }
  const lines = { lines: readLines(source), whereIs: (number: number) => `line ${number}` }
  // A stop at a bad line leaves the rest unread.
  await importAndWait(() => lines, totalBytes, invoked).finally(() => opened.destroy())
}

/** Imports memories, and waits until they can be searched if that was asked for. @param total bytes, if they are known */
async function importAndWait(
  open: MemoriesImport['open'],
  total: number | null,
  { connection, json, options, signal }: Invoked,
): Promise<void> {
  const { ended, lastSequence } = await importMemories({
    connection,
    open,
    total,
    stopOnError: options.stopOnError === true,
    onExisting: toOnExisting(options.onExisting),
    retryMs: (options.retrySeconds ?? 60) * 1000,
    signal,
    json,
  })
  if (ended === 'complete' && options.wait === true && lastSequence > 0)
    await waitAndSay(connection, lastSequence, signal)
}

function isJournal(firstLine: string): boolean {
  try {
    return isExportHeader(JSON.parse(firstLine))
  } catch {
    return false
  }
}

async function waitAndSay(connection: Connection, sequence: number, signal: AbortSignal): Promise<void> {
  const startedAt = performance.now()
  const progress = await showProgress({ quietMs: QUIET_MS })
  const reached = await waitUntilSearchable({
    connection,
    sequence,
    signal,
    onProgress: progress.update,
  }).finally(progress.stop)
  if (!reached) {
    process.exitCode = EXIT.interrupted
    note('Not waited for any longer. All of it is in the journal, and the indexes go on:  daybook status')
    return
  }
  note(`All of it can be searched (waited ${duration((performance.now() - startedAt) / 1000)}).`)
}
