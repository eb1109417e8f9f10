import { daemonState, isAnswering } from '@daybook/local-daemon/daemon-state'
import { takeStartLock } from '@daybook/local-daemon/start-lock'
import { STOP_TIMEOUT_MS, stopDaemon } from '@daybook/local-daemon/stop-daemon'
import { pause } from '@daybook/runtime/backoff'
import { ensurePrivateFolder } from '@daybook/runtime/private-folder'
import { changeConfig, readConfig } from '../mcp/config/config-file.ts'
import { ServiceError } from './service-error.ts'
import type { ServiceManager, ServicePlace, ServiceProgram } from './service-manager.ts'

/** What an installation would write. */
export interface ServicePlan {
  /** Behind symbolic links. */
  readonly file: string
  readonly text: string
  /** What stands in the file now; null if it is not there. */
  readonly present: string | null
}

/** What became of it. */
export interface InstalledService {
  readonly outcome: 'installed' | 'updated' | 'unchanged'
  /** The copy of what stood in the file; null if nothing did, or the same. */
  readonly backup: string | null
  readonly url: string
  readonly pid: number | null
}

/** The file of a service and what belongs into it. @throws ConfigError if what is there cannot be read */
export function planService(
  manager: ServiceManager,
  place: ServicePlace,
  program: ServiceProgram,
): ServicePlan {
  const { file, text } = readConfig(manager.file(place))
  return { file, text: manager.text(program), present: text }
}

/** How often to look whether the service serves, and how long at most, in milliseconds: a first start makes the database. */
const [LOOK_MS, TIMEOUT_MS] = [100, 120_000]

/**
 * Writes the service's file, starts the service and waits until it serves. A daemon that runs on the data folder otherwise is
 * ended first; meanwhile other clients start none. Again, it changes nothing but starts what does not run.
 * @throws ConfigError; ServiceError SERVICE_MANAGER, SERVICE_DID_NOT_START; LocalDaemonError DAEMON_DID_NOT_STOP; DaybookError
 * CONFIGURATION if the data folder cannot be used
 */
export async function installService(
  manager: ServiceManager,
  place: ServicePlace,
  { dataDir }: Pick<ServiceProgram, 'dataDir'>,
  { text }: Pick<ServicePlan, 'text'>,
): Promise<InstalledService> {
  ensurePrivateFolder(dataDir)
  const change = await changeConfig(manager.file(place), () => text)
  const changed = change.text !== text
  const lock = await startLock(dataDir)
  try {
    const { pid } = await manager.state(place)
    const found = daemonState(dataDir)
    if (found.state !== 'free' && found.pid !== pid) await stopDaemon({ dataDir })
    await manager.start(place, changed)
    const served = await untilServing(manager, place, dataDir)
    const outcome = !changed ? 'unchanged' : change.text === null ? 'installed' : 'updated'
    return { outcome, backup: change.backup, ...served }
  } finally {
    lock?.release()
  }
}

/** Waits for whoever starts the daemon just now; after that the installation goes on without the lock. */
async function startLock(dataDir: string) {
  for (const deadline = Date.now() + STOP_TIMEOUT_MS; ; ) {
    const lock = takeStartLock(dataDir)
    if (lock !== null || Date.now() > deadline) return lock
    await pause(LOOK_MS)
  }
}

async function untilServing(manager: ServiceManager, place: ServicePlace, dataDir: string) {
  for (const deadline = Date.now() + TIMEOUT_MS; ; ) {
    const found = daemonState(dataDir)
    const { running, failing, pid } = await manager.state(place)
    // After a change the daemon before it may still be there.
    if (running && found.state === 'serving' && found.pid === pid && (await isAnswering(found.url)))
      return { url: found.url, pid }
    if (failing || Date.now() > deadline)
      throw new ServiceError(
        'SERVICE_DID_NOT_START',
        `The service is installed in ${manager.file(place)}, but Daybook ${failing ? 'ended' : 'does not serve'}.`,
        [
          `See why:          ${manager.log(dataDir)}`,
          'In a terminal:    daybook start',
          'Take it away:     daybook service uninstall',
        ],
      )
    await pause(LOOK_MS)
  }
}
