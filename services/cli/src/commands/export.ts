import { stat } from 'node:fs/promises'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import type { Command } from 'commander'
import { addExamples, addNotes, invocation } from '../command.ts'
import { EXIT, UsageError } from '../command-line.ts'
import { type PassedEvents, type SavedExport, saveExport } from '../journal/save-export.ts'
import { counted, note, noteRaw, print, printJson, toJson } from '../output/print.ts'
import { type Progress, showProgress } from '../progress/show-progress.ts'
import { addFilterOptions, filterFrom } from '../search/find-memories.ts'

/** Adds the arguments, options and action of `daybook export`. */
export function configureExport(command: Command): void {
  command
    .option('--project <name or id>', 'only this project; all of them unless given')
    .option('--out <file>', 'write to this file; to standard output unless given')
    .option('--markdown <folder>', 'write memories instead, each as a Markdown file, into this folder')
  addFilterOptions(command).action((options: ExportOptions, self: Command) =>
    options.markdown === undefined
      ? exportJournal(options, self)
      : exportMarkdown(options.markdown, options, self),
  )
  addExamples(command, [
    'daybook export --out daybook.jsonl',
    'daybook export --project default | gzip > daybook.jsonl.gz',
    'daybook import daybook.jsonl',
    'daybook export --markdown memories --kind decision',
  ])
  addNotes(
    command,
    '\nEvery event of the journal, with ids, sequences, times, hashes and a checksum, one JSON object a line: the same content\ngives the same bytes. It needs a key that may run the whole Daybook. `daybook import` brings it into another Daybook.\nWith --json the summary is JSON: on standard output with --out, else on standard error.\n\nWith --markdown: the current text of each memory of the key’s project that the filters let through. A file has the memory’s\nfields at its top and can be edited; `daybook import` of the folder brings changes back, or all of it into another Daybook.\nIt has no history: for a backup, export the journal.',
  )
}

interface ExportOptions {
  readonly project?: string
  readonly out?: string
  readonly markdown?: string
}

/** Without a progress bar, nothing is said about exports shorter than this, in milliseconds. */
const QUIET_MS = 3_000

async function exportJournal({ project, out }: ExportOptions, command: Command): Promise<void> {
  if (Object.keys(await filterFrom(command)).length > 0)
    throw new UsageError('Filters are for --markdown: the journal is exported whole, or by --project')
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

async function exportMarkdown(folder: string, options: ExportOptions, command: Command): Promise<void> {
  if (folder === '') throw new UsageError('--markdown must name a folder')
  const there = await stat(folder).catch(() => null)
  if (there?.isDirectory() === false) throw new UsageError(`${folder} is no folder: --markdown must name one`)
  const alone = (['project', 'out'] as const).find((name) => options[name] !== undefined)
  if (alone !== undefined) throw new UsageError(`--${alone} is for the journal, not for --markdown`)
  const { connection, json } = invocation(command)
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  const display = await showProgress({ quietMs: QUIET_MS })
  const { exportMemories } = await import('../markdown/memory-file.ts')
  const { written, complete } = await exportMemories({
    connection,
    folder,
    filter: await filterFrom(command),
    signal: ending.signal,
    onProgress: (done) =>
      display.update({ work: 'export', phase: 'writing', done, total: null, amount: memoriesInWords(done) }),
  }).finally(display.stop)
  if (json) printJson({ written, folder, complete })
  else print(`Wrote ${memoriesInWords(written)} to ${folder}`)
  if (complete) return
  note('Interrupted: the export is not complete.')
  process.exitCode = EXIT.interrupted
}

const memoriesInWords = (count: number) => `${grouped(count)} ${count === 1 ? 'memory' : 'memories'}`

/** The progress within the current project. How many projects follow is not known. */
const progressOf = ({ events, project }: PassedEvents, bytes: number): Progress => ({
  work: 'export',
  phase: safeLine(project?.name ?? 'beginning'),
  done: project?.events ?? 0,
  total: project?.of ?? null,
  amount: `${counted(events, 'event')}, ${megabytes(bytes)}`,
})

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

const describe = ({ events, projects, bytes }: SavedExport) =>
  `Exported ${counted(events, 'event')} of ${counted(projects, 'project')}, ${megabytes(bytes)}`
