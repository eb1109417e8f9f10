import { pause } from '@daybook/runtime/backoff'
import { daemonState, LocalDaemonError } from './daemon-state.ts'
import { logPathOf } from './start-daemon.ts'

/** How often to look whether it has ended, in milliseconds. */
const LOOK_MS = 50
/** How long its end is waited for, in milliseconds. A daemon ends within 10 s, whatever it is doing. */
export const STOP_TIMEOUT_MS = 20_000

/** Which daemon, and how long to wait for its end. */
export interface StopOptions {
  /** The data folder, absolute. */
  readonly dataDir: string
  /** How long to wait for its end, in milliseconds. @default 20000 */
  readonly timeoutMs?: number
}

/**
 * Ends the daemon of a data folder as Ctrl-C does, and waits until it has ended. One that is stopping already
 * is only waited for: a second signal would cut it off.
 * @returns its process id; null if none runs
 * @throws LocalDaemonError DAEMON_DID_NOT_STOP
 */
export async function stopDaemon({
  dataDir,
  timeoutMs = STOP_TIMEOUT_MS,
}: StopOptions): Promise<number | null> {
  const deadline = Date.now() + timeoutMs
  let signalled: number | null = null
  for (;;) {
    const found = daemonState(dataDir)
    if (found.state === 'free') return signalled
    const { pid } = found
    if (Date.now() > deadline) throw didNotStop(dataDir, pid)
    if (pid !== null && pid !== signalled) {
      // One that began after the first has ended is not ours to end.
      if (signalled !== null) return signalled
      if (found.state !== 'stopping') send(dataDir, pid)
      signalled = pid
    }
    await pause(LOOK_MS)
  }
}

function send(dataDir: string, pid: number): void {
  try {
    process.kill(pid, 'SIGTERM')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // It has ended by itself.
    if (code === 'ESRCH') return
    throw new LocalDaemonError(
      'DAEMON_DID_NOT_STOP',
      `The Daybook of ${dataDir} (process ${pid}) cannot be stopped from here: ${code === 'EPERM' ? 'it belongs to another user' : code}.`,
      ['Stop it as the user who started it'],
    )
  }
}

function didNotStop(dataDir: string, pid: number | null): LocalDaemonError {
  const who = pid === null ? '' : ` (process ${pid})`
  return new LocalDaemonError(
    'DAEMON_DID_NOT_STOP',
    `The Daybook of ${dataDir}${who} has not ended in time.`,
    [
      `See what it does:      ${logPathOf(dataDir)}, or the terminal that it was started in`,
      ...(pid === null || process.platform === 'win32'
        ? []
        : [`End it at all costs:   kill -9 ${pid}   (nothing acknowledged is lost)`]),
    ],
  )
}
