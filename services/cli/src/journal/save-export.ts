import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { readlink, realpath, rename, rm, stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { finished } from 'node:stream/promises'
import type { ExportEnd, ExportedProject } from '@daybook/journal/export/export-format'
import { openStream } from '../client/subscribe.ts'
import { CliError, EXIT, RefusedError, UsageError } from '../command-line.ts'
import type { Connection } from '../settings.ts'

/** What to export, and where to. */
interface ExportRequest {
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
 * `<file>.part`, and the file of an earlier export stays. A pipe or a device is written to as it is.
 * @throws UnreachableError, UnauthorisedError, RefusedError, CliError INCOMPLETE, UsageError if the file
 * cannot be written
 */
export async function saveExport(request: ExportRequest): Promise<SavedExport> {
  const { connection, project, file, signal } = request
  const query = project === undefined ? '' : `?project=${encodeURIComponent(project)}`
  const place = file === undefined ? null : await placeOf(file)
  const chunks = await openStream(connection, `/journal/export${query}`, { method: 'GET', signal })
  if (place === null) return receive(chunks, process.stdout, request)
  const { target, isPlain } = place
  const part = isPlain ? `${target}.part` : target
  // The file holds everything that is remembered, so only its owner may read it.
  const output = createWriteStream(part, { mode: 0o600, flush: isPlain })
  try {
    const written = finished(output)
    // Awaited below. Until then the code that writes handles the error.
    written.catch(() => undefined)
    const saved = await receive(chunks, output, request)
    output.end()
    await written
    if (isPlain) await rename(part, target)
    return saved
  } catch (error) {
    output.destroy()
    if (isPlain) await rm(part, { force: true })
    throw output.errored === null
      ? error
      : new UsageError(`${file} cannot be written: ${output.errored.message}`)
  }
}

/**
 * Where a file is to be written: at the end of its links, and beside it first if it is a plain one.
 * @throws UsageError
 */
async function placeOf(file: string): Promise<{ target: string; isPlain: boolean }> {
  if (file === '') throw new UsageError('--out must name a file')
  const there = await stat(file).catch(() => null)
  if (there?.isDirectory() === true) throw new UsageError(`${file} is a folder: --out must name a file`)
  if (there?.isFile() === true) return { target: await realpath(file), isPlain: true }
  // A link to nothing yet leads somewhere, too. `/dev/stdout` is one to a pipe, which has no path.
  const link = there === null ? await readlink(file).catch(() => '') : ''
  return { target: resolve(file, ...(link === '' ? [] : ['..', link])), isPlain: there === null }
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

/** Watches an export as it passes: counts its events, and checks that it is complete. */
interface ExportWatch {
  add(chunk: Uint8Array): void
  /** How many events have passed, in all and of the current project. */
  passed(): PassedEvents
  /**
   * The content of the export's last line.
   * @throws RefusedError with Daybook's reason; CliError INCOMPLETE if the end is missing or the checksum is
   * wrong
   */
  end(): ExportEnd
}

/** How many events of an export have passed. */
export interface PassedEvents {
  readonly events: number
  /** The current project. Null until its line has passed. */
  readonly project: { readonly name: string; readonly events: number; readonly of: number } | null
}

const LINE_FEED = 0x0a

/** Only a project's line begins like this; see `export-format.ts`. */
const PROJECT = Buffer.from('{"project":')

/** Creates a watch. It keeps the last line apart, because the checksum covers only the lines before it. */
export function createExportWatch(): ExportWatch {
  const sha256 = createHash('sha256')
  let events = 0
  let project: { name: string; before: number; of: number } | null = null
  const pass = (line: Buffer) => {
    const begun = line.subarray(0, PROJECT.length).equals(PROJECT) ? parse(line).project : undefined
    if (begun !== undefined) project = { name: begun.name, before: events, of: begun.events }
    else if (project !== null) events += 1
  }
  let held: Buffer = Buffer.alloc(0)
  return {
    add(chunk) {
      const bytes = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk])
      // Skip the last byte: if it is a line feed, it ends the last line.
      const start = bytes.length < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, bytes.length - 2) + 1
      const passed = bytes.subarray(0, start)
      sha256.update(passed)
      for (let from = 0, to = passed.indexOf(LINE_FEED); to !== -1; to = passed.indexOf(LINE_FEED, from)) {
        pass(passed.subarray(from, to))
        from = to + 1
      }
      held = bytes.subarray(start)
    },
    passed: () => ({
      events,
      project: project && { name: project.name, events: events - project.before, of: project.of },
    }),
    end() {
      const { end, error } = parse(held)
      if (error !== undefined)
        throw new RefusedError(error.code, error.message, { retryable: error.retryable })
      if (end === undefined) throw incomplete('its end is missing')
      if (end.sha256 !== sha256.digest('hex')) throw incomplete('its checksum is wrong')
      return end
    },
  }
}

interface Line {
  readonly project?: ExportedProject
  readonly end?: ExportEnd
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean }
}

function parse(line: Buffer): Line {
  try {
    return (JSON.parse(line.toString()) as Line | null) ?? {}
  } catch {
    return {}
  }
}

function incomplete(problem: string): CliError {
  return new CliError(EXIT.failed, 'INCOMPLETE', `The export is not complete: ${problem}.`, [
    'Run it again. If it stays so, the daemon’s log says why.',
  ])
}
