import { existsSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const MEGABYTE = 1024 * 1024

/**
 * PGlite fills all its shared buffers with zeros at the start, so that they are resident whether used or not:
 * 128 MB by default. The operating system caches what they do not hold, but each page that is read from there
 * costs some 5 µs. With 10,000 memories 32 MB cost no time; 16 MB make searches a tenth slower
 * (docs/measurements.md#shared-buffers-of-the-embedded-database).
 */
const LEAST_MB = 32
/** An index of the vectors of 100,000 memories has 200 MB; by signs, as MiniLM has it, 30. */
const MOST_MB = 256

/** With a quarter, a search of 50,000 memories finds 9 of 10 pages in the buffers. */
const SHARE = 0.25

/**
 * The shared buffers for a database, in megabytes: a quarter of its tables and indexes when it starts, between
 * 32 and 256.
 *
 * @param dataFolder of Postgres; may not exist yet
 */
export function sharedBuffersFor(dataFolder: string): number {
  const megabytes = (tableBytes(dataFolder) * SHARE) / MEGABYTE
  return Math.round(Math.min(Math.max(megabytes, LEAST_MB), MOST_MB))
}

function tableBytes(dataFolder: string): number {
  const base = join(dataFolder, 'base')
  if (!existsSync(base)) return 0
  return readdirSync(base, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0)
}
