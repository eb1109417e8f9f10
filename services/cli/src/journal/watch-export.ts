import { createHash } from 'node:crypto'
import type { ExportEnd } from '@daybook/journal/export/export-format'
import { CliError, RefusedError } from '../cli-error.ts'
import { EXIT } from '../exit-codes.ts'

/** Looks at an export as it passes: whether it is whole, and what it holds. */
export interface ExportWatch {
  add(chunk: Uint8Array): void
  /** Events that have passed, about. */
  events(): number
  /** What the last line says. @throws RefusedError with Daybook's reason, CliError INCOMPLETE where it is not the end, or not of these bytes */
  end(): ExportEnd
}

const LINE_FEED = 0x0a

/** Holds the last line until another one follows; the checksum is of all before. */
export function createExportWatch(): ExportWatch {
  const sha256 = createHash('sha256')
  let lines = 0
  let held: Buffer = Buffer.alloc(0)
  return {
    add(chunk) {
      const bytes = held.length === 0 ? Buffer.from(chunk) : Buffer.concat([held, chunk])
      // The last byte ends the last line, where it is an end at all.
      const start = bytes.length < 2 ? 0 : bytes.lastIndexOf(LINE_FEED, bytes.length - 2) + 1
      const passed = bytes.subarray(0, start)
      sha256.update(passed)
      for (let at = passed.indexOf(LINE_FEED); at !== -1; at = passed.indexOf(LINE_FEED, at + 1)) lines += 1
      held = bytes.subarray(start)
    },
    // The header stands before them, and a line for each project.
    events: () => Math.max(0, lines - 2),
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

interface LastLine {
  readonly end?: ExportEnd
  readonly error?: { readonly code: string; readonly message: string; readonly retryable: boolean }
}

function parse(line: Buffer): LastLine {
  try {
    return (JSON.parse(line.toString()) as LastLine | null) ?? {}
  } catch {
    return {}
  }
}

function incomplete(problem: string): CliError {
  return new CliError(EXIT.failed, 'INCOMPLETE', `The export is not complete: ${problem}.`, [
    'Run it again. If it stays so, the daemon’s log says why.',
  ])
}
