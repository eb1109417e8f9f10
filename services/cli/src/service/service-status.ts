import { daemonState } from '@daybook/local-daemon/daemon-state'
import { readConfig } from '../mcp/config/config-file.ts'
import { MARK, type ServiceManager, type ServicePlace } from './service-manager.ts'

/** How the service is. */
export interface ServiceStatus {
  readonly installed: boolean
  readonly file: string
  /** Whether it starts by itself at the next login. */
  readonly enabled: boolean
  readonly running: boolean
  /** Whether it has ended against its will. */
  readonly failing: boolean
  /** The service's process; null if it does not run. */
  readonly pid: number | null
  readonly dataDir: string
  /** The address of the data folder's daemon, whoever started it; null if none serves. */
  readonly url: string | null
  /** The process of the data folder's daemon; null if none runs. */
  readonly daemonPid: number | null
  /** Where the service's output is: a file or a command. */
  readonly log: string
}

/**
 * Looks at the service and at the daemon of its data folder. Never throws for a service manager that does not answer.
 * @param usualDataDir the folder that is meant where none is installed
 */
export async function serviceStatus(
  manager: ServiceManager,
  place: ServicePlace,
  usualDataDir: string,
): Promise<ServiceStatus> {
  const { file, text } = readConfig(manager.file(place))
  const installed = text?.includes(MARK) === true
  const dataDir = (installed ? manager.dataDirOf(text) : null) ?? usualDataDir
  const { enabled, running, failing, pid } = await manager.state(place)
  const daemon = daemonState(dataDir)
  return {
    installed,
    file,
    enabled,
    running,
    failing,
    pid,
    dataDir,
    url: daemon.state === 'serving' ? daemon.url : null,
    daemonPid: daemon.state === 'free' ? null : daemon.pid,
    log: manager.log(dataDir),
  }
}
