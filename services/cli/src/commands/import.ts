import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { addAbortSignal, type Readable } from 'node:stream'
import { isExportHeader } from '@daybook/journal/export/export-format'
import { grouped } from '@daybook/memory/size-in-words'
import type { Command } from 'commander'
import { UsageError } from '../cli-error.ts'
import { addExamples, addNotes, invocation, wholeNumber } from '../command.ts'
import { EXIT, type ExitCode } from '../exit-codes.ts'
import { describeCounts } from '../import/counts.ts'
import type { BadLine } from '../import/entry.ts'
import { type ImportSummary, runImport } from '../import/run-import.ts'
import { waitUntilSearchable } from '../import/wait-until-searchable.ts'
import { importJournalFile } from '../journal/import-file.ts'
import { peekLine } from '../journal/peek-line.ts'
import { duration } from '../output/duration.ts'
import { renderError } from '../output/error.ts'
import { note, noteRaw, print, printJson } from '../output/print.ts'
import { safeLine } from '../output/safe-text.ts'
import { showProgress } from '../progress/show-progress.ts'
import type { Connection } from '../settings.ts'

/** Adds the arguments, options and action of `daybook import`. */
export function configure(command: Command): void {
  command
    .argument(
      '<file>',
      'JSON Lines: memories, each a RememberInput of the GraphQL API, or what `daybook export` wrote; "-" reads standard input',
    )
    .option('--wait', 'wait until all of it can be searched, by words and by meaning')
    .option('--stop-on-error', 'of memories: stop at the first line that cannot be remembered')
    .option(
      '--retry-seconds <n>',
      'of memories: how long to wait for a daemon that is gone (default 60)',
      wholeNumber(),
    )
    .action((file: string, options: ImportOptions, self: Command) => importFile(file, options, self))
  addExamples(command, [
    `echo '{"content": {"note": {"text": "a first one"}}, "labels": ["import"]}' > memories.jsonl`,
    'daybook import memories.jsonl --wait',
    'zcat memories.jsonl.gz | daybook import -',
    'daybook import daybook-journal.jsonl',
  ])
  addNotes(
    command,
    '\nRun it again as often as you like, after a failure too: a line that is there already is not added twice. Lines that\ncannot be remembered are named on standard error, and the exit code is 1 then.\n\nAn exported journal is known by its first line. Its events keep their ids, sequences, times and hashes; what is there\nalready must be the same, else nothing is changed. It needs a key that may run the whole Daybook, and an empty Daybook\nor one that has the same journal up to some event: import before anything is remembered in its projects.',
  )
}

interface ImportOptions {
  readonly wait?: boolean
  readonly stopOnError?: boolean
  readonly retrySeconds?: number
}

/** Without a progress bar, nothing is said about work shorter than this, in milliseconds. */
const QUIET_MS = 3_000

/**
 * Most bad lines listed in the JSON summary, and on standard error. A file with more is probably the wrong
 * file.
 */
const [MOST_REPORTED, MOST_SAID] = [1_000, 50]

async function importFile(file: string, options: ImportOptions, command: Command): Promise<void> {
  const { connection, json } = invocation(command)
  const { source: opened, totalBytes } = await openSource(file)
  const ending = new AbortController()
  process.once('SIGINT', () => ending.abort())
  process.once('SIGTERM', () => ending.abort())
  // Standard input may stay silent for a long time; the signal must end that wait too.
  addAbortSignal(ending.signal, opened)
  const peeked = await peekLine(opened).catch((error: unknown) => {
    if (!ending.signal.aborted) throw error
    process.exitCode = EXIT.interrupted
    return null
  })
  if (peeked === null) return
  const { line, binary, source } = peeked
  if (binary) {
    opened.destroy()
    throw new UsageError(`${file} cannot be imported: it is not a text file with a JSON object a line`)
  }
  if (isJournal(line)) {
    const sequence = await importJournalFile({ connection, source, json, signal: ending.signal }).finally(
      () =>
        // An open standard input would keep the process alive.
        opened.destroy(),
    )
    if (sequence !== null && options.wait === true) await waitAndSay(connection, sequence, ending.signal)
    return
  }

  const progress = await showProgress({ quietMs: QUIET_MS })
  const bad: BadLine[] = []
  let said = 0
  const summary = await runImport({
    connection,
    source,
    stopOnError: options.stopOnError === true,
    retryMs: (options.retrySeconds ?? 60) * 1000,
    signal: ending.signal,
    onBadLine: (one) => {
      if (bad.length < MOST_REPORTED) bad.push(one)
      said += 1
      if (said <= MOST_SAID) progress.say(`line ${one.line}: ${safeLine(one.message)}`)
      else if (said === MOST_SAID + 1) progress.say('Further bad lines are only counted; --json lists 1,000.')
    },
    onWaiting: (reason) => progress.say(`${safeLine(reason)} Waiting for it …`),
    onProgress: (counts, readBytes) =>
      progress.update({
        work: 'import',
        phase: 'importing',
        done: readBytes,
        total: totalBytes,
        amount: describeCounts(counts),
      }),
  })
  progress.stop()
  if (json) printJson(summaryJson(summary, bad))
  else print(renderSummary(summary))
  process.exitCode = exitCode(summary)
  if (summary.ended === 'failed') {
    const { text, exitCode: code } = renderError(summary.error, json)
    noteRaw(text)
    process.exitCode = code
  }
  if (summary.ended !== 'complete') {
    if (!json) note('What was imported stays. Run the same import again to go on; nothing is added twice.')
    return
  }
  if (options.wait === true && summary.lastSequence > 0)
    await waitAndSay(connection, summary.lastSequence, ending.signal)
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

async function openSource(file: string): Promise<{ source: Readable; totalBytes: number | null }> {
  if (file === '-') return { source: process.stdin, totalBytes: null }
  try {
    const handle = await open(file)
    const stats = await handle.stat()
    if (stats.isDirectory()) throw Object.assign(new Error('it is a folder'), { code: 'EISDIR' })
    return {
      source: createReadStream('', { fd: handle, highWaterMark: 256 * 1024 }),
      totalBytes: stats.isFile() ? stats.size : null,
    }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reasons: Record<string, string> = {
      ENOENT: 'there is no such file',
      EISDIR: 'it is a folder',
      EACCES: 'you may not read it',
    }
    throw new UsageError(`${file} cannot be imported: ${reasons[code ?? ''] ?? message}`)
  }
}

function exitCode({ ended, failed }: ImportSummary): ExitCode {
  if (ended === 'interrupted') return EXIT.interrupted
  return failed > 0 ? EXIT.failed : EXIT.ok
}

function perSecond({ imported, alreadyThere, seconds }: ImportSummary): number {
  return Math.round((imported + alreadyThere) / Math.max(seconds, 0.001))
}

function summaryJson(summary: ImportSummary, bad: readonly BadLine[]): object {
  const { imported, alreadyThere, failed, lastSequence, seconds, ended } = summary
  return {
    imported,
    alreadyThere,
    failed,
    lastSequence,
    seconds: Number(seconds.toFixed(3)),
    perSecond: perSecond(summary),
    ended,
    badLines: bad,
  }
}

function renderSummary(summary: ImportSummary): string {
  const { imported, alreadyThere, failed, lastSequence, seconds, ended } = summary
  const how = {
    complete: 'Done',
    stopped: 'Stopped at a bad line',
    interrupted: 'Interrupted',
    failed: 'Not finished',
  }
  const sequence = lastSequence === 0 ? '' : `; last sequence ${lastSequence}`
  return `${how[ended]}: ${grouped(imported)} imported, ${grouped(alreadyThere)} already there, ${grouped(failed)} failed, in ${duration(seconds)} (${grouped(perSecond(summary))} a second)${sequence}`
}
