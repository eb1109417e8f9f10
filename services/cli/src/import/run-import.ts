import type { InputOf } from '@daybook/api/graphql'
import type { Line } from '@daybook/runtime/read-lines'
import type { Connection } from '../settings.ts'
import { DEFAULT_LIMITS, toBatches } from './batches.ts'
import type { Counts } from './counts.ts'
import { type BadLine, createEntryReader } from './entry.ts'
import { sendBatch } from './send-batch.ts'

/** What to import, and whom to tell about it. */
export interface Import {
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
export interface ImportSummary extends Counts {
  /** The highest sequence among the lines; 0 if none has one. */
  readonly lastSequence: number
  readonly seconds: number
  /** `failed`: the daemon can no longer be reached, or no longer accepts the key; `error` says which. */
  readonly ended: 'complete' | 'stopped' | 'interrupted' | 'failed'
  readonly error: unknown
}

/**
 * Remembers lines, batch by batch in the order of the file. It does not throw: errors are in
 * the summary.
 */
export async function runImport(given: Import): Promise<ImportSummary> {
  const { connection, lines, stopOnError, retryMs, signal, onBadLine, onWaiting, onProgress } = given
  const startedAt = performance.now()
  const total = { imported: 0, revised: 0, alreadyThere: 0, failed: 0, lastSequence: 0 }
  const summary = (ended: ImportSummary['ended'], error: unknown = null): ImportSummary => ({
    ...total,
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
      const sent = await sendBatch(entries, { connection, retryMs, signal, onWaiting })
      total.imported += sent.imported
      total.revised += sent.revised
      total.alreadyThere += sent.alreadyThere
      total.lastSequence = Math.max(total.lastSequence, sent.sequence)
      const allBad = [...bad, ...sent.bad].toSorted((a, b) => a.line - b.line)
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
