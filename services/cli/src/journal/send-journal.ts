import type { ImportProgress, ImportResult } from '@daybook/journal/import/import-progress'
import { readLines } from '@daybook/runtime/read-lines'
import { CliError, RefusedError } from '../cli-error.ts'
import { openStream } from '../client/stream.ts'
import { EXIT } from '../exit-codes.ts'
import type { Connection } from '../settings.ts'

/** What to import, and whom to tell about it. */
export interface JournalImport {
  readonly connection: Connection
  readonly source: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
  readonly onProgress: (progress: ImportProgress) => void
}

interface AnswerLine {
  readonly progress?: ImportProgress
  readonly result?: ImportResult
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean }
}

/**
 * Sends an exported journal as it is read.
 * @throws UnreachableError, UnauthorisedError, RefusedError; the signal's reason
 */
export async function sendJournal({
  connection,
  source,
  signal,
  onProgress,
}: JournalImport): Promise<ImportResult> {
  const answer = await openStream(connection, '/journal/import', { method: 'POST', body: source, signal })
  for await (const { text } of readLines(answer)) {
    const { progress, result, error } = JSON.parse(text ?? '{}') as AnswerLine
    if (error !== undefined) throw new RefusedError(error.code, error.message, { retryable: error.retryable })
    if (progress !== undefined) onProgress(progress)
    if (result !== undefined) return result
  }
  throw new CliError(EXIT.failed, 'INCOMPLETE', 'The daemon gave no result for the import.')
}
