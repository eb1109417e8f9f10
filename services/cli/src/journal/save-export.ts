import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import type { ExportEnd } from '@daybook/journal/export/export-format'
import { UsageError } from '../cli-error.ts'
import { openStream } from '../client/stream.ts'
import type { Connection } from '../settings.ts'
import { createExportWatch, type PassedEvents } from './watch-export.ts'

/** What to export, and where to. */
export interface ExportRequest {
  readonly connection: Connection
  /** Name or id; all projects unless given. */
  readonly project: string | undefined
  /** Standard output unless given. */
  readonly file: string | undefined
  readonly signal: AbortSignal
  readonly onProgress: (passed: PassedEvents, bytes: number) => void
}

/** A complete export. */
export interface SavedExport extends ExportEnd {
  readonly bytes: number
}

/**
 * Writes the exported journal as it arrives, and checks that it is complete. Until then the file is called
 * `<file>.part`, and the file of an earlier export stays.
 * @throws UnreachableError, UnauthorisedError, RefusedError, CliError INCOMPLETE, UsageError if the file
 * cannot be written
 */
export async function saveExport(request: ExportRequest): Promise<SavedExport> {
  const { connection, project, file, signal } = request
  const query = project === undefined ? '' : `?project=${encodeURIComponent(project)}`
  const chunks = await openStream(connection, `/journal/export${query}`, { method: 'GET', signal })
  if (file === undefined) return receive(chunks, process.stdout, request)
  const part = `${resolve(file)}.part`
  // The file holds everything that is remembered, so only its owner may read it.
  const output = createWriteStream(part, { mode: 0o600, flush: true })
  try {
    const written = finished(output)
    // Awaited below. Until then the code that writes handles the error.
    written.catch(() => undefined)
    const saved = await receive(chunks, output, request)
    output.end()
    await written
    await rename(part, resolve(file))
    return saved
  } catch (error) {
    output.destroy()
    await rm(part, { force: true })
    throw output.errored === null
      ? error
      : new UsageError(`${file} cannot be written: ${output.errored.message}`)
  }
}

async function receive(
  chunks: AsyncIterable<Uint8Array>,
  output: NodeJS.WritableStream,
  { onProgress }: ExportRequest,
): Promise<SavedExport> {
  const watch = createExportWatch()
  let bytes = 0
  for await (const chunk of chunks) {
    watch.add(chunk)
    bytes += chunk.byteLength
    if (!output.write(chunk)) await once(output, 'drain')
    onProgress(watch.passed(), bytes)
  }
  return { ...watch.end(), bytes }
}
