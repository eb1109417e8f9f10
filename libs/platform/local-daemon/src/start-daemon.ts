import { spawn } from 'node:child_process'
import { pause } from '@daybook/runtime/backoff'
import type { Environment } from './connection.ts'
import { daemonEnvironment, isUsualPortTaken } from './daemon-environment.ts'
import { type DaemonState, daemonState, isAnswering } from './daemon-state.ts'
import { LocalDaemonError } from './local-daemon-error.ts'
import { type OpenLog, openLog } from './log-file.ts'
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
