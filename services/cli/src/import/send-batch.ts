import { fieldOf, isFailure } from '@daybook/api/failure'
import { type ResultOf, textOf } from '@daybook/api/graphql'
import * as mutations from '@daybook/api/mutations'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import type { Line } from '@daybook/runtime/read-lines'
import { requestBody } from '../client/request.ts'
import { mayComeBack } from '../client/subscribe.ts'
import { RefusedError } from '../command-line.ts'
import type { Connection } from '../settings.ts'
import type { BadLine, Entry } from './entry.ts'

/** The result of sending a batch. */
export interface BatchOutcome {
  readonly imported: number
  /** Things that were remembered already, and say something new now. */
  readonly revised: number
  readonly alreadyThere: number
  /** The highest sequence in the batch; 0 if nothing was remembered. */
  readonly sequence: number
  readonly bad: readonly BadLine[]
  /** Entries whose original was imported before and says something else now, with its memory. */
  readonly changed: readonly { readonly entry: Entry; readonly memoryId: string; readonly refusal: BadLine }[]
}

/** How batches are sent. */
export interface Sending {
  readonly connection: Connection
  /** How long to wait for a daemon that is gone or cannot serve, in milliseconds. */
  readonly retryMs: number
  readonly signal: AbortSignal
  /** Called each time waiting begins. */
  readonly onWaiting: (reason: string) => void
}

const IMPORT = mutations.rememberMany('sequence duplicate outcome')

const NOTHING_SENT: BatchOutcome = {
  imported: 0,
  revised: 0,
  alreadyThere: 0,
  sequence: 0,
  bad: [],
  changed: [],
}

type Results = ResultOf<typeof IMPORT>['result']

/**
 * Remembers the entries, in order. An input that breaks the GraphQL schema makes the daemon refuse the whole
 * request without naming the input. Then the batch is split in halves, and again, until only the bad entry
 * fails. Every entry has an idempotency key, so sending it again is always safe.
 * @throws UnreachableError after `retryMs`, UnauthorisedError
 */
export async function sendBatch(entries: readonly Entry[], sending: Sending): Promise<BatchOutcome> {
  if (entries.length === 0) return NOTHING_SENT
  try {
    return toSent(entries, await withRetries(entries, sending))
  } catch (error) {
    if (!(error instanceof RefusedError) || error.retryable) throw error
    if (entries.length === 1) {
      const { message, field } = plainly(error)
      return { ...NOTHING_SENT, bad: entries.map(({ line }) => ({ line, field, message })) }
    }
    const middle = Math.ceil(entries.length / 2)
    const first = await sendBatch(entries.slice(0, middle), sending)
    const second = await sendBatch(entries.slice(middle), sending)
    return {
      imported: first.imported + second.imported,
      revised: first.revised + second.revised,
      alreadyThere: first.alreadyThere + second.alreadyThere,
      sequence: Math.max(first.sequence, second.sequence),
      bad: [...first.bad, ...second.bad],
      changed: [...first.changed, ...second.changed],
    }
  }
}

async function withRetries(entries: readonly Entry[], sending: Sending): Promise<Results> {
  const { connection, retryMs, signal, onWaiting } = sending
  // Built as text, because the inputs are JSON already.
  const body = `{"query":${JSON.stringify(textOf(IMPORT))},"variables":{"inputs":[${entries.map(({ json }) => json).join(',')}]}}`
  const startedAt = performance.now()
  for (let attempt = 0; ; attempt++) {
    try {
      return (await requestBody<ResultOf<typeof IMPORT>>(connection, body)).result
    } catch (error) {
      if (!mayComeBack(error) || signal.aborted || performance.now() - startedAt >= retryMs) throw error
      if (attempt === 0) onWaiting((error as Error).message)
      await pause(backoffDelay(attempt, { firstMs: 200, maxMs: 3_000 }), signal)
    }
  }
}

function toSent(entries: readonly Entry[], results: Results): BatchOutcome {
  let [imported, revised, alreadyThere, sequence] = [0, 0, 0, 0]
  const bad: BadLine[] = []
  const changed: BatchOutcome['changed'][number][] = []
  for (const [index, entry] of entries.entries()) {
    const { line } = entry
    const result = results[index]
    if (result === undefined) bad.push({ line, field: null, message: 'the daemon gave no result for it' })
    else if (isFailure(result)) {
      const refusal = toBadLine(line, result.message, fieldOf(result))
      const memoryId = result.code === 'IDEMPOTENCY_CONFLICT' && 'memoryId' in result ? result.memoryId : null
      if (memoryId === null) bad.push(refusal)
      else changed.push({ entry, memoryId, refusal })
    } else {
      if (result.duplicate || result.outcome === 'UNCHANGED') alreadyThere += 1
      else if (result.outcome === 'REVISED') revised += 1
      else imported += 1
      sequence = Math.max(sequence, result.sequence)
    }
  }
  return { imported, revised, alreadyThere, sequence, bad, changed }
}

/** GraphQL quotes the whole wrong input, which may be long. This keeps only the field and the reason. */
function plainly({ message, field }: RefusedError): { message: string; field: string | null } {
  const found = /^Variable "\$inputs" got invalid value [^]* at "inputs\[0\]\.?([^"]*)"; ([^]*)$/u.exec(
    message,
  )
  if (found === null) return { message, field }
  const [, place = '', why = ''] = found
  return { message: place === '' ? why : `${place}: ${why}`, field: place === '' ? null : place }
}

/**
 * The daemon names a field by its place in the request, `inputs.3.content.note.text`. Here the line number
 * replaces that.
 */
function toBadLine(line: number, message: string, field: string | null): BadLine {
  return { line, field: field === null ? null : withoutPlace(field), message: withoutPlace(message) }
}

const withoutPlace = (text: string) => text.replace(/^inputs\.\d+\./u, '')

/** Entries to send in one request, and the bad lines found while collecting them. */
export interface Batch {
  readonly entries: readonly Entry[]
  readonly bad: readonly BadLine[]
  /** Bytes of the file that are done when this batch is done. */
  readonly readBytes: number
}

/** How large a batch may become. */
export interface BatchLimits {
  readonly entries: number
  /** Bytes of all inputs together. A larger entry becomes its own batch. */
  readonly bytes: number
  /** Ends the batch at a bad line, so that nothing after it is sent before it is seen. */
  readonly endAtBad: boolean
}

/**
 * Half of what a body may hold. 100 memories a commit are near the best rate, and a failure repeats only
 * those.
 */
export const DEFAULT_LIMITS: BatchLimits = { entries: 100, bytes: 512 * 1024, endAtBad: false }

/** Collects lines into batches, in the order of the file. */
export async function* toBatches(
  lines: AsyncIterable<Line>,
  read: (line: number, text: string) => Entry | BadLine,
  limits: BatchLimits = DEFAULT_LIMITS,
): AsyncGenerator<Batch> {
  let entries: Entry[] = []
  let bad: BadLine[] = []
  let bytes = 0
  let readBytes = 0
  const take = (): Batch => {
    const batch = { entries, bad, readBytes }
    entries = []
    bad = []
    bytes = 0
    return batch
  }
  for await (const { number, text, problem, readBytes: upTo } of lines) {
    const one = text === null ? { line: number, field: null, message: problem } : read(number, text)
    if ('message' in one) {
      readBytes = upTo
      bad.push(one)
      if (limits.endAtBad || bad.length >= limits.entries) yield take()
      continue
    }
    if (entries.length > 0 && bytes + one.bytes > limits.bytes) yield take()
    entries.push(one)
    bytes += one.bytes
    readBytes = upTo
    if (entries.length >= limits.entries) yield take()
  }
  if (entries.length > 0 || bad.length > 0) yield take()
}
