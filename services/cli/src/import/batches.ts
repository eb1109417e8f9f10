import type { Line } from '@daybook/runtime/read-lines'
import type { BadLine, Entry } from './entry.ts'

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
