import type { Command } from 'commander'
import { addExamples, invocation } from '../command.ts'
import { EXIT } from '../exit-codes.ts'
import { type SavedExport, saveExport } from '../journal/save-export.ts'
import { toJson } from '../output/json.ts'
import { note, print, printJson } from '../output/print.ts'

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
  command.addHelpText(
    'after',
    '\nEvery event of the journal, with ids, sequences, times, hashes and a checksum, one JSON object a line: the same content\ngives the same bytes. It needs a key that may run the whole Daybook. `daybook import` brings it into another Daybook.\nWith --json the summary is JSON: on standard output with --out, else on standard error.',
  )
}

interface ExportOptions {
  readonly project?: string
  readonly out?: string
}

/** Between two lines of progress. */
const PROGRESS_MS = 5_000

async function exportJournal({ project, out }: ExportOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  let last = performance.now()
  try {
    const saved = await saveExport({
      connection,
      project,
      file: out,
      signal: ending.signal,
      onProgress(events, bytes) {
        if (performance.now() - last < PROGRESS_MS) return
        last = performance.now()
        note(`${events} events, ${megabytes(bytes)} …`)
      },
    })
    const { events, projects, sha256, bytes } = saved
    const summary = { events, projects, bytes, sha256, file: out ?? null }
    if (out === undefined) note(json ? toJson(summary) : describe(saved))
    else if (json) printJson(summary)
    else print(`${describe(saved)}, to ${out}`)
  } catch (error) {
    if (!ending.signal.aborted) throw error
    note('Interrupted: the export is not complete.')
    process.exitCode = EXIT.interrupted
  }
}

const plural = (count: number, one: string) => `${count} ${one}${count === 1 ? '' : 's'}`

const megabytes = (bytes: number) => `${(bytes / 1_000_000).toFixed(1)} MB`

const describe = ({ events, projects, bytes }: SavedExport) =>
  `Exported ${plural(events, 'event')} of ${plural(projects, 'project')}, ${megabytes(bytes)}`
