import { createHash } from 'node:crypto'
import type { ExportEnd, ExportedProject } from '@daybook/journal/export/export-format'
import { CliError, RefusedError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'

/** Looks at an export as it passes: whether it is whole, and what it holds. */
export interface ExportWatch {
  add(chunk: Uint8Array): void
  /** Events that have passed, and those of the project that is passing. */
  passed(): PassedEvents
  /** What the last line says. @throws RefusedError with Daybook's reason, CliError INCOMPLETE where it is not the end, or not of these bytes */
  end(): ExportEnd
}

export interface PassedEvents {
  readonly events: number
  /** Null until its line has passed. */
  readonly project: { readonly name: string; readonly events: number; readonly of: number } | null
}

const LINE_FEED = 0x0a
/** How the line of a project begins, and no other: see `export-format.ts`. */
const PROJECT = Buffer.from('{"project":')

/** Holds the last line until another one follows; the checksum is of all before. */
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
      // The last byte ends the last line, where it is an end at all.
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
