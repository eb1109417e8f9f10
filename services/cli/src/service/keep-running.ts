import { daemonState, LocalDaemonError } from '@daybook/local-daemon/daemon-state'
import { forgetFailure, keepFailure, startDaemon } from '@daybook/local-daemon/start-daemon'
import { pause } from '@daybook/runtime/backoff'
import type { Environment } from '../settings.ts'

/** Of a first start, which makes the database, in milliseconds. */
const TIMEOUT_MS = 120_000

/** Whom to keep running, and how. */
interface Keeping {
  readonly dataDir: string
  readonly environment: Environment
  /** Between an end and the next start, in milliseconds. Default as launchd does. */
  readonly restMs?: number
  /** How often to look whether the daemon is there, in milliseconds. */
  readonly lookMs?: number
  readonly start?: typeof startDaemon
}

/** So many failures one after the other end it, as with systemd: a wrong setting stays wrong. */
const MOST_FAILURES = 5

/**
 * Keeps a daemon running on a data folder, for a service manager that has neither restarts, nor logs, nor settings: Windows' Task
 * Scheduler. It takes no start lock, which an installation has until the daemon serves.
 * @throws LocalDaemonError after too many failures, the last one
 */
export async function keepRunning(given: Keeping): Promise<never> {
  const { dataDir, environment, restMs = 10_000, lookMs = 1_000, start = startDaemon } = given
  for (let failures = 0; ; ) {
    while (daemonState(dataDir).state !== 'free') await pause(lookMs)
    forgetFailure(dataDir)
    try {
      await start({ dataDir, environment, deadline: Date.now() + TIMEOUT_MS })
      failures = 0
    } catch (error) {
      if (error instanceof LocalDaemonError) keepFailure(dataDir, error)
      if (++failures === MOST_FAILURES) throw error
    }
    while (daemonState(dataDir).state !== 'free') await pause(lookMs)
    await pause(restMs)
  }
}
