import type { InputOf } from '@daybook/api/graphql'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import { pause } from '@daybook/runtime/backoff'
import type { Line } from '@daybook/runtime/read-lines'
import { untilIndexed } from '../client/mutate.ts'
import { type Projection, readHead, readProjections } from '../client/operations.ts'
import { CliError, EXIT, type ExitCode, RefusedError } from '../command-line.ts'
import { renderError } from '../output/error.ts'
import { duration, note, noteRaw, print, printJson, shorten } from '../output/print.ts'
import { type Progress, showProgress } from '../progress/show-progress.ts'
import type { Connection } from '../settings.ts'
import { type BadLine, compareWithMemory, createEntryReader, reviseToInput } from './entry.ts'
import type { ForeignFile, KeyedInput } from './formats/format.ts'
import { hasZone, zoneHere, zoneLine } from './local-time.ts'
import { type BatchOutcome, DEFAULT_LIMITS, sendBatch, toBatches } from './send-batch.ts'
import {
  type Additions,
  type Counts,
  countLeftOut,
  describeCounts,
  describeLeftOut,
  fittingItems,
  type Handled,
} from './source.ts'

/** What to import, and whom to tell about it. */
interface Import {
  readonly connection: Connection
  /** The inputs as JSON, one a line. */
  readonly lines: AsyncIterable<Line>
  readonly stopOnError: boolean
  /** For lines that do not say it themselves. Default as the daemon does. */
  readonly onExisting?: InputOf<'OnExisting'> | undefined
  readonly retryMs: number
  /** Ends the import after the request under way. */
  readonly signal: AbortSignal
  readonly onBadLine: (bad: BadLine) => void
  readonly onWaiting: (reason: string) => void
  readonly onProgress: (counts: Counts, readBytes: number) => void
}

/** The result of an import, complete or not. */
interface ImportSummary extends Counts {
  /** The highest sequence among the lines; 0 if none has one. */
  readonly lastSequence: number
  /** The zone in which times that name none were read; null if there were none. */
  readonly timeZone: string | null
  readonly seconds: number
  /** `failed`: the daemon can no longer be reached, or no longer accepts the key; `error` says which. */
  readonly ended: 'complete' | 'stopped' | 'interrupted' | 'failed'
  readonly error: unknown
}

/** An import's result with what never became a line. */
type WholeSummary = ImportSummary & Pick<Handled, 'leftOut'>

/**
 * Remembers lines, batch by batch in the order of the file. It does not throw: errors are in
 * the summary.
 */
async function runImport(given: Import): Promise<ImportSummary> {
  const { connection, lines, stopOnError, retryMs, signal, onBadLine, onWaiting, onProgress } = given
  const startedAt = performance.now()
  const total = { imported: 0, revised: 0, alreadyThere: 0, failed: 0, lastSequence: 0 }
  let timeZone: string | null = null
  const summary = (ended: ImportSummary['ended'], error: unknown = null): ImportSummary => ({
    ...total,
    timeZone,
    seconds: (performance.now() - startedAt) / 1000,
    ended,
    error,
  })
  try {
    const limits = { ...DEFAULT_LIMITS, endAtBad: stopOnError }
    for await (const { entries, bad, readBytes } of toBatches(
      lines,
      createEntryReader(given.onExisting),
      limits,
    )) {
      if (entries.some(({ localTimes }) => localTimes === true)) timeZone = zoneHere()
      const sent = await sendBatch(entries, { connection, retryMs, signal, onWaiting })
      total.imported += sent.imported
      total.revised += sent.revised
      total.alreadyThere += sent.alreadyThere
      total.lastSequence = Math.max(total.lastSequence, sent.sequence)
      const allBad = [...bad, ...sent.bad]
      // Of an original that a file has several times the last one counts.
      const changed = [...new Map(sent.changed.map((one) => [one.memoryId, one])).values()]
      total.alreadyThere += sent.changed.length - changed.length
      for (let at = 0; at < changed.length; at += SETTLED_AT_ONCE) {
        const slice = changed.slice(at, at + SETTLED_AT_ONCE)
        for (const settled of await Promise.all(slice.map((one) => settle(connection, one))))
          if ('message' in settled) allBad.push(settled)
          else {
            total.revised += settled.revised
            total.alreadyThere += settled.alreadyThere
            total.lastSequence = Math.max(total.lastSequence, settled.sequence)
          }
      }
      allBad.sort((a, b) => a.line - b.line)
      total.failed += allBad.length
      for (const one of allBad) onBadLine(one)
      onProgress(total, readBytes)
      if (stopOnError && allBad.length > 0) return summary('stopped')
      if (signal.aborted) return summary('interrupted')
    }
    return summary('complete')
  } catch (error) {
    return summary(signal.aborted ? 'interrupted' : 'failed', error)
  }
}

/** Originals that changed, compared and revised side by side: of 2,000 one after the other takes 101 s, 16 at once 35 s. */
const SETTLED_AT_ONCE = 16

/** How often an import asks for an index that is behind, 5 s each time: 5 minutes are 50,000 events and more. */
const INDEX_TRIES = 60

/**
 * Brings the memory of an original that was imported before to what the original says now. What was forgotten here stays so.
 * @returns why that is not possible, as a bad line
 */
async function settle(
  connection: Connection,
  { entry, memoryId, refusal }: BatchOutcome['changed'][number],
): Promise<BadLine | { readonly revised: number; readonly alreadyThere: number; readonly sequence: number }> {
  const input = JSON.parse(entry.json) as KeyedInput
  try {
    let comparison = await compareWithMemory(connection, memoryId, input)
    if (comparison === 'unknown') {
      // Written moments ago, as by an import just before this one: the journal has it, the index soon. Or it was erased.
      await untilIndexed(connection, await readHead(connection), INDEX_TRIES)
      comparison = await compareWithMemory(connection, memoryId, input)
    }
    if (comparison === 'unknown') return refusal
    if (comparison !== 'changed') return { revised: 0, alreadyThere: 1, sequence: 0 }
    return { revised: 1, alreadyThere: 0, sequence: await reviseToInput(connection, memoryId, input) }
  } catch (error) {
    if (!(error instanceof RefusedError) || error.retryable) throw error
    return { line: entry.line, field: error.field, message: error.message }
  }
}

/** Memories to import, and how. */
export interface MemoriesImport {
  readonly connection: Connection
  /** @param onBad is told of what cannot be imported, before or beside the lines */
  readonly open: (onBad: (bad: BadLine) => void) => {
    readonly lines: AsyncIterable<Line>
    /** Where a line stands, for messages. */
    readonly whereIs: (line: number) => string
    /** What needed no line. */
    readonly handled?: () => Handled
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
  const { revised = 0, alreadyThere = 0, lastSequence = 0, leftOut = new Map() } = handled?.() ?? {}
  const summary = {
    ...sent,
    revised: sent.revised + revised,
    alreadyThere: sent.alreadyThere + alreadyThere,
    failed: sent.failed + early,
    lastSequence: Math.max(sent.lastSequence, lastSequence),
    leftOut,
  }
  if (json) printJson(summaryJson(summary, bad))
  else {
    print(renderSummary(summary))
    if (summary.timeZone !== null) print(zoneLine(summary.timeZone))
  }
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

/** How many memories a preview shows. */
const SHOWN = 5

/** Columns of a shown memory. */
const WIDTH = 100

/** Reads a foreign file and says what an import would do. It writes nothing. */
export async function preview({
  file,
  connection,
  additions,
  json,
}: {
  readonly file: ForeignFile
  readonly connection: Connection
  readonly additions: Additions
  readonly json: boolean
}): Promise<void> {
  const kinds: Record<string, number> = {}
  const first: KeyedInput[] = []
  const problems: { where: string; message: string }[] = []
  const existing = { revised: 0, alreadyThere: 0 }
  let found = 0
  let timeZone: string | null = null
  const leftOut = new Map<string, number>()
  for await (const item of fittingItems(file, additions)) {
    if ('leftOut' in item) {
      countLeftOut(leftOut, item.leftOut)
      continue
    }
    if ('problem' in item) {
      problems.push({ where: item.where, message: item.problem })
      continue
    }
    const { input } = item
    const comparison = item.id === undefined ? 'unknown' : await compareWithMemory(connection, item.id, input)
    if (comparison === 'same') existing.alreadyThere += 1
    if (comparison === 'changed') existing.revised += 1
    if (comparison === 'forgotten')
      problems.push({ where: item.where, message: `${item.id} is forgotten here` })
    if (comparison !== 'unknown') continue
    found += 1
    if ([input.occurredAt, input.expiresAt].some((time) => time != null && !hasZone(time)))
      timeZone = zoneHere()
    const kind = Object.keys(input.content)[0] ?? ''
    kinds[kind] = (kinds[kind] ?? 0) + 1
    if (first.length < SHOWN) first.push(input)
  }
  if (problems.length > 0) process.exitCode = EXIT.failed
  if (json)
    return printJson({
      format: file.format.name,
      memories: found,
      kinds,
      ...existing,
      timeZone,
      leftOut: Object.fromEntries(leftOut),
      first,
      problems,
    })
  const counts = Object.entries(kinds).map(
    ([kind, count]) => `${grouped(count)} ${kind}${count === 1 ? '' : 's'}`,
  )
  print(`${file.format.name}: ${counts.join(', ') || 'no new memory'}${describeLeftOut(leftOut)}`)
  if (existing.revised > 0) print(`${grouped(existing.revised)} memories of this Daybook would be revised`)
  if (existing.alreadyThere > 0) print(`${grouped(existing.alreadyThere)} are as their files say`)
  for (const { content, context, labels } of first) {
    const [fields = {}] = Object.values(content)
    const facts = [
      ...(context == null ? [] : [`in ${context}`]),
      ...(labels ?? []).map((label) => `#${label}`),
    ]
    print(`  ${shorten(safeLine([...Object.values(fields), ...facts].join('  ')), WIDTH)}`)
  }
  if (found > SHOWN) print(`  and ${grouped(found - SHOWN)} more`)
  for (const { where, message } of problems) print(`${safeLine(where)}: ${safeLine(message)}`)
  if (timeZone !== null) print(zoneLine(timeZone))
  print('Nothing was written. Run it without --dry-run to import.')
}

/** The exit code of an import. */
function exitCodeOf({ ended, failed }: Pick<ImportSummary, 'ended' | 'failed'>): ExitCode {
  if (ended === 'interrupted') return EXIT.interrupted
  return failed > 0 ? EXIT.failed : EXIT.ok
}

/** The summary as `--json` prints it. */
function summaryJson(summary: WholeSummary, bad: readonly BadLine[]): object {
  const { imported, revised, alreadyThere, failed, lastSequence, timeZone, seconds, ended } = summary
  return {
    imported,
    revised,
    alreadyThere,
    failed,
    lastSequence,
    seconds: Number(seconds.toFixed(3)),
    perSecond: perSecond(summary),
    ended,
    timeZone,
    leftOut: Object.fromEntries(summary.leftOut),
    badLines: bad,
  }
}

const HOW = {
  complete: 'Done',
  stopped: 'Stopped at a bad line',
  interrupted: 'Interrupted',
  failed: 'Not finished',
} as const

/** The summary in a line for people. */
function renderSummary(summary: WholeSummary): string {
  const { imported, revised, alreadyThere, failed, lastSequence, seconds, ended } = summary
  const counts = [
    `${grouped(imported)} imported`,
    ...(revised === 0 ? [] : [`${grouped(revised)} revised`]),
    `${grouped(alreadyThere)} already there`,
    `${grouped(failed)} failed`,
  ]
  const sequence = lastSequence === 0 ? '' : `; last sequence ${lastSequence}`
  return `${HOW[ended]}: ${counts.join(', ')}, in ${duration(seconds)} (${grouped(perSecond(summary))} a second)${sequence}${describeLeftOut(summary.leftOut)}`
}

function perSecond({ imported, revised, alreadyThere, seconds }: ImportSummary): number {
  return Math.round((imported + revised + alreadyThere) / Math.max(seconds, 0.001))
}

/** Waiting ends after this long without progress, in milliseconds. A model takes seconds to load. */
const STALL_MS = 60_000

const POLL_MS = 300

interface WaitOptions {
  readonly connection: Connection
  readonly sequence: number
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/**
 * Waits until every index includes the sequence and all memories have their vectors.
 * @returns false if the signal ended the waiting
 * @throws CliError NOT_SEARCHABLE if nothing moves any more; it says how far the index is
 */
export async function waitUntilSearchable(given: WaitOptions): Promise<boolean> {
  const { connection, sequence, signal, onProgress } = given
  let state = ''
  let mostPending = 0
  let movedAt = performance.now()
  while (!signal.aborted) {
    const projections = await readProjections(connection)
    const open = projections.filter(
      ({ position, pendingEmbeddings }) => position < sequence || pendingEmbeddings > 0,
    )
    if (open.length === 0) return true
    const now = open.map((one) => describe(one, sequence)).join('; ')
    if (now !== state) movedAt = performance.now()
    else if (performance.now() - movedAt > STALL_MS)
      throw new CliError(EXIT.failed, 'NOT_SEARCHABLE', `The index does not come further: ${now}.`, [
        'Everything is in the journal, and nothing is lost. Look at:  daybook status',
        'With DAYBOOK_EMBEDDER=none there are no vectors to wait for: import without --wait.',
      ])
    state = now
    const [first] = open
    mostPending = Math.max(mostPending, first?.pendingEmbeddings ?? 0)
    if (first !== undefined) onProgress(progressOf(first, sequence, mostPending))
    await pause(POLL_MS, signal)
  }
  return false
}

function describe({ name, position, pendingEmbeddings }: Projection, sequence: number): string {
  return position < sequence
    ? `${name} is at sequence ${grouped(position)} of ${grouped(sequence)}`
    : `${name} has ${grouped(pendingEmbeddings)} memories without vectors`
}

/**
 * The index's progress first, then the vectors', which come later.
 * @param mostPending the most memories that lacked vectors
 */
function progressOf(
  { name, position, pendingEmbeddings }: Projection,
  sequence: number,
  mostPending: number,
): Progress {
  const work = `waiting for ${safeLine(name)}`
  return position < sequence
    ? { work, phase: 'indexing', done: position, total: sequence }
    : { work, phase: 'vectors', done: mostPending - pendingEmbeddings, total: mostPending }
}
