import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** From this size in bytes the log is begun anew at a start; one older log is kept. */
const LARGEST = 5 * 1024 * 1024

/** The log of a daemon that was started without a terminal. */
export const logPathOf = (dataDir: string): string => join(dataDir, 'daemon.log')

/** A log that is open for a program to write to. */
export interface OpenLog {
  readonly path: string
  readonly file: number
  /** What was written since it was opened, at most its last `most` bytes. */
  end(most: number): string
  /** Closes it here; a program that was started with it keeps it. */
  close(): void
}

/** Opens the log of a data folder for its user alone. A long one is first renamed to `daemon.log.1`. */
export function openLog(dataDir: string): OpenLog {
  const path = logPathOf(dataDir)
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) > LARGEST) renameSync(path, `${path}.1`)
  // Appending, so that two writers do not overwrite each other's lines.
  const file = openSync(path, 'a+', 0o600)
  const begin = fstatSync(file).size
  return {
    path,
    file,
    end(most) {
      const size = fstatSync(file).size
      const from = Math.max(begin, size - most)
      const bytes = Buffer.alloc(Math.max(0, size - from))
      return bytes.subarray(0, readSync(file, bytes, 0, bytes.length, from)).toString()
    },
    close: () => closeSync(file),
  }
}
