import type { InputOf } from '@daybook/api/graphql'
import { safeLine } from '@daybook/memory/safe-text'
import type { Line } from '@daybook/runtime/read-lines'
import { renderError } from '../output/error.ts'
import { note, noteRaw, print, printJson } from '../output/print.ts'
import { showProgress } from '../progress/show-progress.ts'
import type { Connection } from '../settings.ts'
import { type Counts, describeCounts } from './counts.ts'
import type { BadLine } from './entry.ts'
import { type ImportSummary, runImport } from './run-import.ts'
import { exitCodeOf, renderSummary, summaryJson } from './summary.ts'

/** Memories to import, and how. */
export interface MemoriesImport {
  readonly connection: Connection
  /** @param onBad is told of what cannot be imported, before or beside the lines */
  readonly open: (onBad: (bad: BadLine) => void) => {
    readonly lines: AsyncIterable<Line>
    /** Where a line stands, for messages. */
    readonly whereIs: (line: number) => string
    /** What needed no line. */
    readonly handled?: () => Pick<Counts, 'revised' | 'alreadyThere'> & { readonly lastSequence: number }
  }
  /** Bytes of the file; null if they are not known. */
  readonly total: number | null
  readonly stopOnError: boolean
  /** For memories that do not say it themselves. Default as the daemon does. */
  readonly onExisting?: InputOf<'OnExisting'> | undefined
  readonly retryMs: number
  readonly signal: AbortSignal
  readonly json: boolean
}

/** Without a progress bar, nothing is said about work shorter than this, in milliseconds. */
const QUIET_MS = 3_000

/**
 * Most bad lines listed in the JSON summary, and on standard error. A file with more is probably the wrong
 * file.
 */
const [MOST_REPORTED, MOST_SAID] = [1_000, 50]

/** Imports memories, with progress, and says how it ended. Sets the exit code. */
export async function importMemories(given: MemoriesImport): Promise<ImportSummary> {
  const { connection, open, total, stopOnError, onExisting, retryMs, signal, json } = given
  const progress = await showProgress({ quietMs: QUIET_MS })
  const bad: (BadLine & { readonly where: string })[] = []
  let [said, early] = [0, 0]
  const onBadLine = (one: BadLine) => {
    const where = whereIs(one.line)
    if (bad.length < MOST_REPORTED) bad.push({ where, ...one })
    said += 1
    if (said <= MOST_SAID) progress.say(`${safeLine(where)}: ${safeLine(one.message)}`)
    else if (said === MOST_SAID + 1) progress.say('Further bad lines are only counted; --json lists 1,000.')
  }
  const { lines, whereIs, handled } = open((one) => {
    early += 1
    onBadLine(one)
  })
  const sent = await runImport({
    connection,
    lines,
    stopOnError,
    onExisting,
    retryMs,
    signal,
    onBadLine,
    onWaiting: (reason) => progress.say(`${safeLine(reason)} Waiting for it …`),
    onProgress: (counts, done) =>
      progress.update({ work: 'import', phase: 'importing', done, total, amount: describeCounts(counts) }),
  })
  progress.stop()
  const { revised = 0, alreadyThere = 0, lastSequence = 0 } = handled?.() ?? {}
  const summary = {
    ...sent,
    revised: sent.revised + revised,
    alreadyThere: sent.alreadyThere + alreadyThere,
    failed: sent.failed + early,
    lastSequence: Math.max(sent.lastSequence, lastSequence),
  }
  if (json) printJson(summaryJson(summary, bad))
  else print(renderSummary(summary))
  process.exitCode = exitCodeOf(summary)
  if (summary.ended === 'failed') {
    const { text, exitCode: code } = renderError(summary.error, json)
    noteRaw(text)
    process.exitCode = code
  }
  if (summary.ended !== 'complete' && !json)
    note('What was imported stays. Run the same import again to go on; nothing is added twice.')
  return summary
}
