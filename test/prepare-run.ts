import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file system in memory, where Linux has one. */
const IN_MEMORY = '/dev/shm'
const PREFIX = 'daybook-test-'
/** Bytes that must be free there and in all memory. A whole run takes at most 2 GB. */
const LEAST_FREE = 6 * 1024 ** 3

/** Prepares the environment of all processes of a test run. */
export function prepareRun(): void {
  keepTemporaryFilesInMemory()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-run-'))
  // What processes note for the report at the end (`end-reporter.ts`).
  process.env['DAYBOOK_TEST_RUN'] = folder
  process.once('exit', () => remove(folder))
  const preload = fileURLToPath(new URL('../libs/platform/runtime/src/testing/preload.cjs', import.meta.url))
  process.env.NODE_OPTIONS = [process.env.NODE_OPTIONS, `--require=${JSON.stringify(preload)}`]
    .filter(Boolean)
    .join(' ')
}

/**
 * Puts the temporary files of a test run into memory, so those of its databases too: flushing and copying them to a disk took a tenth of the
 * run's CPU time, and dropping a database a second. What tests claim about killed processes holds there as on a disk; none cuts the power.
 * Servers still flush whenever they think they must.
 *
 * Does nothing where `TMPDIR` is set, or where too little memory is free. The folder is removed when this process ends; those of runs that
 * were killed are removed by the next.
 */
function keepTemporaryFilesInMemory(): void {
  if (process.env.TMPDIR !== undefined || !existsSync(IN_MEMORY)) return
  for (const name of readdirSync(IN_MEMORY))
    if (name.startsWith(PREFIX) && !isAlive(Number(name.slice(PREFIX.length)))) remove(join(IN_MEMORY, name))
  const { bavail, bsize } = statfsSync(IN_MEMORY)
  if (Math.min(bavail * bsize, freemem()) < LEAST_FREE) return
  const folder = join(IN_MEMORY, `${PREFIX}${process.pid}`)
  mkdirSync(folder)
  // Servers that refuse to run as root make their folders in it.
  chmodSync(folder, 0o1777)
  process.env.TMPDIR = folder
  process.once('exit', () => remove(folder))
}

function remove(folder: string): void {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
