import { spawn } from 'node:child_process'
import {
  closeSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, resolve } from 'node:path'
import { pause } from '@daybook/runtime/backoff'
import { DEFAULT_PORTS } from '@daybook/runtime/config'
import { type ExclusiveLock, takeLock } from '@daybook/runtime/exclusive-lock'
import { checkAddress } from '@daybook/runtime/listen'
import { SETTINGS } from '@daybook/runtime/settings'
import { fileVariable, listSettings } from '@daybook/runtime/settings/setting'
import type { Environment } from './connection.ts'
import {
  type DaemonState,
  daemonState,
  isAnswering,
  LocalDaemonError,
  type LocalDaemonErrorCode,
} from './daemon-state.ts'
import { findProgram } from './programs.ts'

/** How often to look whether the daemon serves, in milliseconds. */
const LOOK_MS = 50

/** How much of its log a failure shows, in bytes. */
const LOG_SHOWN = 2_000

/** What a start needs to know. */
export interface StartOptions {
  readonly dataDir: string
  readonly environment: Environment
  /** When to give up, in milliseconds since 1970. */
  readonly deadline: number
}

/**
 * Starts a daemon that outlives this process, and resolves when one serves the data folder: this one, or
 * another that took the folder first. The caller holds the start lock. If another program has port 4000, and
 * the environment names none, the daemon takes a free one.
 * @throws LocalDaemonError DAEMON_DID_NOT_START with the end of its log, or DAEMON_NOT_READY
 */
export async function startDaemon(options: StartOptions): Promise<void> {
  const taken = await isUsualPortTaken(options.environment)
  try {
    await startOnce(options, taken)
  } catch (error) {
    // A daemon takes its port after some seconds. Meanwhile another program may have come first.
    if (taken || !(error instanceof LocalDaemonError) || !(await isUsualPortTaken(options.environment)))
      throw error
    await startOnce(options, true)
  }
}

async function startOnce({ dataDir, environment, deadline }: StartOptions, anyPort: boolean): Promise<void> {
  const program = findProgram('daemon')
  const log = openLog(dataDir)
  try {
    const child = spawn(process.execPath, [program.file, ...program.args], {
      // Not the starter's folder, which may be deleted, or on a disk that somebody wants to unmount.
      cwd: dataDir,
      env: { ...daemonEnvironment(dataDir, environment), ...(anyPort && { DAYBOOK_PORT: '0' }) },
      // A session of its own: neither a Ctrl-C nor the end of the starter's terminal reaches it.
      detached: true,
      windowsHide: true,
      stdio: ['ignore', log.file, log.file],
    })
    child.unref()
    let ended: string | null = null
    child.once('exit', (code, signal) => (ended = signal ?? `code ${code}`))
    child.once('error', ({ message }) => (ended = message))
    for (;;) {
      const found = daemonState(dataDir)
      if (found.state === 'serving' && (await isAnswering(found.url))) return
      // Another daemon may have taken the folder. Then this one ends, and the other is as good.
      if (ended !== null && found.state === 'free') throw didNotStart(dataDir, ended, log)
      if (Date.now() > deadline) throw notReady(dataDir, found, log.path)
      await pause(LOOK_MS)
    }
  } finally {
    log.close()
  }
}

/** The error for a process that has the data folder, or was given it, and does not serve in time. */
export function notReady(dataDir: string, found: DaemonState, logPath: string): LocalDaemonError {
  const who = 'pid' in found && found.pid !== null ? ` (process ${found.pid})` : ''
  const doing =
    found.state === 'free' || found.state === 'serving' ? 'does not answer' : `is still ${found.state}`
  return new LocalDaemonError('DAEMON_NOT_READY', `The Daybook of ${dataDir}${who} ${doing}.`, [
    `See what it does:  ${logPath}, or the terminal that it was started in`,
    'It may need some moments more. Else end it with daybook stop, and start it again',
  ])
}

function didNotStart(dataDir: string, ended: string, log: OpenLog): LocalDaemonError {
  const text = log.end(LOG_SHOWN)
  // An expected failure says after these words what is wrong and what to do.
  const reason = text.split(' cannot start: ').at(-1)?.trim()
  return new LocalDaemonError(
    'DAEMON_DID_NOT_START',
    `The Daybook of ${dataDir} did not start (it ended with ${ended}): ${reason || 'it said nothing'}`,
    [`Its log:               ${log.path}`, 'Start it in a terminal: daybook start'],
  )
}

/**
 * The lock of whoever starts a data folder's daemon: while it is held, other clients wait for that start instead of making
 * another. @returns null if somebody has it
 */
export const takeStartLock = (dataDir: string): ExclusiveLock | null =>
  takeLock(join(dataDir, 'daemon-start.lock'))

/** The variables whose values are paths. */
const PATHS = listSettings(SETTINGS).flatMap(({ name, type, secret }) => [
  ...(type === 'folder' || type === 'file' ? [name] : []),
  ...(secret === true ? [fileVariable(name)] : []),
])

/**
 * The environment of a daemon that is started in the background: that of its starter, with the data folder
 * named and paths made absolute, because the daemon does not run in the starter's folder.
 */
export function daemonEnvironment(
  dataDir: string,
  environment: Environment,
): Record<string, string | undefined> {
  const paths = PATHS.flatMap((name) => {
    const path = environment[name]
    return path ? [[name, resolve(path)]] : []
  })
  return { ...environment, ...Object.fromEntries(paths), DAYBOOK_DATA_DIR: dataDir }
}

/** Whether the environment names no port, and another program has the usual one. */
async function isUsualPortTaken(environment: Environment): Promise<boolean> {
  if (environment['DAYBOOK_PORT']) return false
  const host = environment['DAYBOOK_HOST'] || '127.0.0.1'
  return checkAddress({ host, port: DEFAULT_PORTS.gateway }).then(
    () => false,
    () => true,
  )
}

/*
 * Clients that wait for another's attempt to start a daemon share its failure. Else each would try again after
 * the one before: fifty failing starts, one after the other.
 */

interface StoredFailure extends Pick<LocalDaemonError, 'message' | 'hints'> {
  readonly at: number
  readonly code: LocalDaemonErrorCode
}

const pathOf = (dataDir: string) => join(dataDir, 'daemon-start.json')

/** Keeps the failure for those who wait. The caller holds the start lock. */
export function keepFailure(dataDir: string, { code, message, hints }: LocalDaemonError): void {
  writeFileSync(pathOf(dataDir), JSON.stringify({ at: Date.now(), code, message, hints }), { mode: 0o600 })
}

/** Forgets the failure of an earlier attempt. */
export function forgetFailure(dataDir: string): void {
  rmSync(pathOf(dataDir), { force: true })
}

/** The failure of an attempt that ended after `since` (milliseconds since 1970); null if there is none. */
export function failureSince(dataDir: string, since: number): LocalDaemonError | null {
  try {
    const { at, code, message, hints } = JSON.parse(readFileSync(pathOf(dataDir), 'utf8')) as StoredFailure
    return at < since ? null : new LocalDaemonError(code, message, hints)
  } catch {
    // There is none, or it is being written by an attempt that the caller has not waited for.
    return null
  }
}

/** From this size in bytes the log is begun again at a start; one older log is kept. */
const LARGEST = 5 * 1024 * 1024

/** The log of a daemon that was started without a terminal. */
export const logPathOf = (dataDir: string): string => join(dataDir, 'daemon.log')

/** A log that is open for a program to write to. */
interface OpenLog {
  readonly path: string
  readonly file: number
  /** What was written since it was opened, at most its last `most` bytes. */
  end(most: number): string
  /** Closes it here; a program that was started with it keeps it. */
  close(): void
}

/** Opens the log of a data folder for its user alone. A long one is first renamed to `daemon.log.1`. */
function openLog(dataDir: string): OpenLog {
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
