import { grouped } from '@daybook/memory/size-in-words'
import type { Command } from 'commander'
import { addExamples, addNotes, invocation } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { type SavedExport, saveExport } from '../journal/save-export.ts'
import type { PassedEvents } from '../journal/watch-export.ts'
import { toJson } from '../output/json.ts'
import { note, noteRaw, print, printJson } from '../output/print.ts'
import { safeLine } from '../output/safe-text.ts'
import type { Progress } from '../progress/render-progress.ts'
import { showProgress } from '../progress/show-progress.ts'

/** Adds the arguments, options and action of `daybook export`. */
export function configure(command: Command): void {
  command
    .option('--project <name or id>', 'only this project; all of them unless given')
    .option('--out <file>', 'write to this file; to standard output unless given')
    .action((options: ExportOptions, self: Command) => exportJournal(options, self))
  addExamples(command, [
    'daybook export --out daybook.jsonl',
    'daybook export --project default | gzip > daybook.jsonl.gz',
    'daybook import daybook.jsonl',
  ])
  addNotes(
    command,
    '\nEvery event of the journal, with ids, sequences, times, hashes and a checksum, one JSON object a line: the same content\ngives the same bytes. It needs a key that may run the whole Daybook. `daybook import` brings it into another Daybook.\nWith --json the summary is JSON: on standard output with --out, else on standard error.',
  )
}

interface ExportOptions {
  readonly project?: string
  readonly out?: string
}

/** Without a progress bar, nothing is said about exports shorter than this, in milliseconds. */
const QUIET_MS = 3_000

async function exportJournal({ project, out }: ExportOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  const display = await showProgress({ quietMs: QUIET_MS })
  try {
    const saved = await saveExport({
      connection,
      project,
      file: out,
      signal: ending.signal,
      onProgress: (passed, bytes) => display.update(progressOf(passed, bytes)),
    }).finally(display.stop)
    const { events, projects, sha256, bytes } = saved
    const summary = { events, projects, bytes, sha256, file: out ?? null }
    if (out === undefined && json) noteRaw(toJson(summary))
    else if (out === undefined) note(describe(saved))
    else if (json) printJson(summary)
    else print(`${describe(saved)}, to ${out}`)
  } catch (error) {
    if (!ending.signal.aborted) throw error
    note('Interrupted: the export is not complete.')
    process.exitCode = EXIT.interrupted
  }
}

/** The progress within the current project. How many projects follow is not known. */
const progressOf = ({ events, project }: PassedEvents, bytes: number): Progress => ({
  work: 'export',
  phase: safeLine(project?.name ?? 'beginning'),
  done: project?.events ?? 0,
  total: project?.of ?? null,
  amount: `${plural(events, 'event')}, ${megabytes(bytes)}`,
})

const plural = (count: number, one: string) => `${grouped(count)} ${one}${count === 1 ? '' : 's'}`

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

const describe = ({ events, projects, bytes }: SavedExport) =>
  `Exported ${plural(events, 'event')} of ${plural(projects, 'project')}, ${megabytes(bytes)}`
