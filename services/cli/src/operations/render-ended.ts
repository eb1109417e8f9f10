import { age } from '@daybook/memory/hit-lines'
import { safeLine } from '@daybook/memory/safe-text'
import { grouped } from '@daybook/memory/text-rules'
import type { UndoResult, VerifyJournalResult, VerifyResult } from '@daybook/operations/operation-types'
import type { Operation } from '../client/operations.ts'
import { duration, shorten, spoken } from '../output/print.ts'
import { table } from '../output/table.ts'
import type { Progress } from '../progress/show-progress.ts'
import { type ReportOptions, renderVerified, renderVerifiedJournal } from './verify-report.ts'

/** The most differences listed, unless all are asked for. */
const NAMED = 20

/** Describes an ended operation: how it ended, what it did, and what can be done next. */
export function renderEnded(operation: Operation, { all = false }: { all?: boolean } = {}): string {
  const name = operationName(operation)
  const { status, error, result } = operation
  if (status === 'FAILED') return `The ${name} has failed: ${safeLine(error ?? 'it does not say why')}`
  if (status === 'CANCELLED' && operation.type === 'UNDO') return cancelledUndo(operation)
  if (status === 'CANCELLED') return `The ${name} was cancelled. What it had begun is cleaned up.`
  if (status !== 'SUCCEEDED' || result === null)
    return `The ${name} is ${spoken(status)}, ${safeLine(operation.phase)}.`
  const options: ReportOptions = {
    named: all ? Number.POSITIVE_INFINITY : NAMED,
    seeAll: `daybook operations show ${safeLine(operation.id)}`,
  }
  return [`The ${name} has ended (${took(operation)}).`, ...outcome(operation, result, options)].join('\n')
}

function took({ createdAt, startedAt, finishedAt }: Operation): string {
  return duration((Date.parse(finishedAt ?? createdAt) - Date.parse(startedAt ?? createdAt)) / 1_000)
}

type Result = Readonly<Record<string, unknown>>

/** To the API a result is any JSON; the handler of the type made it (`operation-types.ts`). */
function outcome(operation: Operation, result: Result, options: ReportOptions): string[] {
  const { type, projection } = operation
  const number = (name: string) => Number(result[name] ?? 0)
  switch (type) {
    case 'REINDEX':
      return result['rewritten'] === undefined ? rebuilt(spoken(projection ?? ''), result) : rewritten(result)
    case 'VERIFY':
      return verified(result as unknown as VerifyResult, spoken(projection ?? ''), options)
    case 'VERIFY_JOURNAL':
      return renderVerifiedJournal(result as unknown as VerifyJournalResult, options)
    case 'REPLAY':
      return projection === null
        ? [`${grouped(number('published'))} events were published again. Listeners skip those they have.`]
        : rewritten(result)
    case 'BACKFILL':
      return [
        `Vectors made: ${grouped(number('done'))}; there already: ${grouped(number('skipped'))}; failed: ${grouped(number('failed'))}.`,
        ...(number('failed') > 0 ? ['Why:  daybook doctor'] : []),
      ]
    case 'RETRY_PARKED':
      return retried(result)
    case 'DELETE_PROJECT':
      return [`Everything of the project is removed; its journal had ${grouped(number('events'))} events.`]
    case 'MAP_MEMORIES':
      return [`Memories on the map: ${grouped(number('memories'))}.`]
    case 'UNDO':
      return undone(operation.id, result as unknown as UndoResult, options)
    default:
      return [safeLine(JSON.stringify(result))]
  }
}

function rewritten(result: Result): string[] {
  const [memories, generation] = [Number(result['rewritten'] ?? 0), Number(result['generation'] ?? 0)]
  const sentence = `${grouped(memories)} memories were rewritten in generation ${generation}.`
  const tried = Number(result['retried'] ?? 0) + Number(result['failed'] ?? 0)
  return tried === 0 ? [sentence] : [sentence, ...retried(result)]
}

function retried(result: Result): string[] {
  const failed = Number(result['failed'] ?? 0)
  return [
    `Memories up to date again: ${grouped(Number(result['retried'] ?? 0))}; still parked: ${grouped(failed)}.`,
    ...(failed > 0 ? ['Why:  daybook parked list'] : []),
  ]
}

function rebuilt(projection: string, result: Result): string[] {
  const old = Array.isArray(result['old']) ? result['old'].map(Number) : []
  return [
    `Generation ${Number(result['generation'])} is live, with vectors of ${safeLine(String(result['model']))}.`,
    ...(old.length === 0
      ? []
      : [
          `Generation ${old.join(', ')} is kept for a while, and up to date:`,
          `  back to it:   daybook reindex ${projection} --rollback`,
          `  delete it:    daybook reindex ${projection} --drop-old`,
        ]),
  ]
}

function verified(result: VerifyResult, projection: string, options: ReportOptions): string[] {
  const lines = renderVerified(result, options)
  const repaired = result.projects.some((one) => one.repaired > 0)
  if (result.clean)
    return [...lines, repaired ? 'What differed is repaired.' : 'It is what the journal says.']
  const differs = result.projects.some((one) => one.different > 0 || one.indexProblems.length > 0)
  const parked = result.projects.some((one) => one.parked > 0)
  return [
    ...lines,
    ...(differs ? [`Rewrite what differs:  daybook verify ${projection} --repair`] : []),
    ...(parked ? [`See what is parked, and why:  daybook parked list --projection ${projection}`] : []),
  ]
}

/** Whether the operation did everything and found nothing wrong. */
export function isGood({ status, type, result }: Operation): boolean {
  if (status !== 'SUCCEEDED') return false
  if (type === 'VERIFY' || type === 'VERIFY_JOURNAL') return result?.['clean'] === true
  return type === 'BACKFILL' || type === 'RETRY_PARKED' || type === 'REINDEX'
    ? Number(result?.['failed'] ?? 0) === 0
    : true
}

/** Characters of an error on a terminal; `operations show` has all of it. */
const ERROR = 60

/** What the operation is doing or waiting for, or why it failed. */
function statusOf({ status, phase, error }: Operation): string {
  return shorten(safeLine(error ?? (status === 'RUNNING' ? phase : '-')), ERROR)
}

/** A table with one line per operation. */
export function operationsTable(operations: readonly Operation[], now: number): string {
  return table(
    ['operation', 'type', 'of', 'status', 'phase', 'done', 'asked for', 'by'],
    operations.map((one) => [
      safeLine(one.id),
      spoken(one.type),
      one.projection === null ? 'journal' : spoken(one.projection),
      spoken(one.status),
      statusOf(one),
      one.status === 'RUNNING' && one.total !== null && one.total > 0
        ? `${Math.floor((100 * one.done) / one.total)} %`
        : '-',
      age(one.createdAt, now),
      one.requestedBy === null ? '-' : safeLine(one.requestedBy),
    ]),
  )
}

/** What an undo did, what it refused, and how to take it back. */
function undone(
  id: string,
  { undone: changed, unchanged, refused, refusals }: UndoResult,
  { named, seeAll }: ReportOptions,
): string[] {
  const shown = refusals.slice(0, named)
  return [
    `Memories undone: ${grouped(changed)}; as they should be already: ${grouped(unchanged)}; refused: ${grouped(refused)}.`,
    ...shown.map(
      ({ memoryId, title, reason }) =>
        `  ${safeLine(title ?? '(erased)')}  ${safeLine(memoryId)}: ${safeLine(reason)}`,
    ),
    ...(shown.length < refused ? [`All refused ones:  ${seeAll}`] : []),
    ...(changed > 0 ? [takeBack(id)] : []),
  ]
}

/** An undo that was cancelled: what it had undone stays undone. */
function cancelledUndo({ id, done, total }: Operation): string {
  return [
    `The undo was cancelled after ${grouped(done)}${total === null ? '' : ` of ${grouped(total)}`}. What it had done stays.`,
    takeBack(id),
  ].join('\n')
}

const takeBack = (id: string) => `Take it back:  daybook undo --operation ${safeLine(id)}`

/** The operation's name for people: `reindex of pgvector`. */
export function operationName({ type, projection }: Pick<Operation, 'type' | 'projection'>): string {
  return projection === null ? spoken(type) : `${spoken(type)} of ${spoken(projection)}`
}

type Progressing = Pick<Operation, 'type' | 'projection' | 'status' | 'phase' | 'done' | 'total' | 'error'>

/** How far an operation has come. While it runs, its `error` says what it waits for. */
export function operationProgress(operation: Progressing): Progress {
  const { status, phase, done, total, error } = operation
  return {
    work: operationName(operation),
    phase: safeLine(phase),
    done,
    total,
    waiting: status === 'RUNNING' && error !== null ? safeLine(error) : null,
  }
}
