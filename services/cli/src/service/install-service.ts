import { existsSync, readFileSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { daemonState, isAnswering } from '@daybook/local-daemon/daemon-state'
import { findProgram, repositoryFolder } from '@daybook/local-daemon/programs'
import { daemonEnvironment, takeStartLock } from '@daybook/local-daemon/start-daemon'
import { STOP_TIMEOUT_MS, stopDaemon } from '@daybook/local-daemon/stop-daemon'
import { pause } from '@daybook/runtime/backoff'
import { ensurePrivateFolder } from '@daybook/runtime/private-folder'
import { SETTINGS } from '@daybook/runtime/settings'
import { fileVariable, listSettings } from '@daybook/runtime/settings/setting'
import { backupsOf, changeConfig, readConfig } from '../mcp/config/config-file.ts'
import type { Environment } from '../settings.ts'
import { launchd } from './launchd.ts'
import {
  MARK,
  ServiceError,
  type ServiceManager,
  type ServicePlace,
  type ServiceProgram,
} from './service-manager.ts'
import { systemd } from './systemd.ts'
import { taskScheduler } from './task-scheduler.ts'

/** What an installation would write. */
interface ServicePlan {
  /** Behind symbolic links. */
  readonly file: string
  readonly text: string
  /** What stands in the file now; null if it is not there. */
  readonly present: string | null
}

/** What became of it. */
interface InstalledService {
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
  return { file, text: manager.text(program, place), present: text }
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

/** Starts the installed service if it does not run. @throws ServiceError NOT_INSTALLED, and as an installation does */
export async function startService(manager: ServiceManager, place: ServicePlace): Promise<InstalledService> {
  const { text, dataDir } = installedService(manager, place)
  return installService(manager, place, { dataDir }, { text })
}

/** Ends the installed service until the next login. @returns the daemon's process; null if none ran */
export async function stopService(manager: ServiceManager, place: ServicePlace): Promise<number | null> {
  const { dataDir } = installedService(manager, place)
  const { daemonPid } = await serviceStatus(manager, place, dataDir)
  await manager.end?.(place)
  await stopDaemon({ dataDir })
  return daemonPid
}

function installedService(manager: ServiceManager, place: ServicePlace): { text: string; dataDir: string } {
  const { text } = readConfig(manager.file(place))
  const dataDir = text?.includes(MARK) === true ? manager.dataDirOf(text) : null
  if (text === null || dataDir === null)
    throw new ServiceError('NOT_INSTALLED', 'Daybook is not installed as a service here.', [
      'Install it:  daybook service install',
    ])
  return { text, dataDir }
}

/** What became of the service. */
interface UninstalledService {
  readonly outcome: 'removed' | 'absent'
  readonly file: string
  /** Copies of files of others that stood there before the installation. They stay. */
  readonly backups: readonly string[]
}

const isOurs = (copy: string) => readFileSync(copy, 'utf8').includes(MARK)

/** The service's file. @returns whether there is one. @throws ServiceError SERVICE_NOT_OURS if Daybook did not make it */
export function findServiceFile(
  manager: ServiceManager,
  place: ServicePlace,
): { readonly file: string; readonly exists: boolean } {
  const { file, text } = readConfig(manager.file(place))
  if (text !== null && !text.includes(MARK))
    throw new ServiceError('SERVICE_NOT_OURS', `${file} was not made by Daybook. It was left as it is.`, [
      'See what it is; if it is not needed, remove it by hand',
    ])
  return { file, exists: text !== null }
}

/**
 * Ends the service and removes its file, with the copies of its own earlier versions. The data folder stays, and so does everything else.
 * @throws ServiceError SERVICE_NOT_OURS, SERVICE_MANAGER; ConfigError if the file cannot be removed
 */
export async function uninstallService(
  manager: ServiceManager,
  place: ServicePlace,
): Promise<UninstalledService> {
  const { file, exists } = findServiceFile(manager, place)
  if (!exists) return { outcome: 'absent', file, backups: [] }
  await manager.stop(place)
  const { backup } = await changeConfig(file, () => null)
  // A link to the file leads nowhere now.
  rmSync(manager.file(place), { force: true })
  const copies = existsSync(dirname(file)) ? backupsOf(file) : []
  const [ours, theirs] = [copies.filter(isOurs), copies.filter((copy) => !isOurs(copy))]
  for (const copy of ours) rmSync(copy, { force: true })
  if (backup !== null) rmSync(backup, { force: true })
  await manager.forget(place)
  return { outcome: 'removed', file, backups: theirs }
}

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

/** What a service is told of the settings in the environment that it is installed from. */
interface ServiceEnvironment {
  /** Everything that is set and no secret, with the data folder; paths are absolute. */
  readonly environment: Readonly<Record<string, string>>
  /** The names of secrets that are set. They are not passed on, because others may read the service's file in backups and reports. */
  readonly secrets: readonly string[]
}

/** An address with a name and a password in it. */
const WITH_PASSWORD = /:\/\/[^\s/@]*@/u

/** The settings for a service. Files of secrets (`…_FILE`) are passed on by their names. */
export function serviceEnvironment(dataDir: string, environment: Environment): ServiceEnvironment {
  const given = daemonEnvironment(dataDir, environment)
  const settings = listSettings(SETTINGS)
  const named = settings.flatMap(({ name, type, secret = false }) => [
    // OpenAI's key has a setting of its own for its file.
    { name, secret: secret || type === 'secret' },
    ...(secret ? [{ name: fileVariable(name), secret: false }] : []),
  ])
  const set = named.flatMap(({ name, secret }) => {
    const value = given[name]
    return value ? [{ name, value, secret: secret || WITH_PASSWORD.test(value) }] : []
  })
  return {
    environment: Object.fromEntries(
      set.filter(({ secret }) => !secret).map(({ name, value }) => [name, value]),
    ),
    secrets: set.filter(({ secret }) => secret).map(({ name }) => name),
  }
}

/** Folders from which npx, `pnpm dlx`, `yarn dlx` and bunx run packages. Each may be emptied at any time. */
const CACHES = /[/\\](?:_npx|dlx(?:-[^/\\]*)?|bunx-[^/\\]*)[/\\]/u

const HOW = [
  'Install it for good, from its tarballs:  npm install --global ./daybook-….tgz ./daybook-onnx-….tgz',
  'Then run:             daybook service install',
]

/**
 * What the service runs: this node with a program of this installation.
 * @throws ServiceError NOT_INSTALLED where that would vanish or change under it; LocalDaemonError PROGRAM_MISSING
 */
export function serviceCommand(
  program: ServiceManager['program'],
  node = process.execPath,
  from?: string,
): ServiceProgram['command'] {
  const repository = repositoryFolder(from)
  if (repository !== null)
    throw new ServiceError(
      'NOT_INSTALLED',
      `This Daybook runs from the repository ${repository}, whose bundles are made again as its sources change. A service needs one that stays.`,
      [`Make the package:     npm run package   (in ${repository}; its last line is the tarball)`, ...HOW],
    )
  const { file, args } = findProgram(program, from)
  if (CACHES.test(file))
    throw new ServiceError(
      'NOT_INSTALLED',
      `This Daybook runs from a cache, ${file}, which may be emptied at any time. A service needs one that stays.`,
      HOW,
    )
  return [node, file, ...args]
}

/** The service manager of a system. @throws ServiceError NOT_SUPPORTED, which says what to do instead */
export function managerOf({ platform }: Pick<ServicePlace, 'platform'>): ServiceManager {
  if (platform === 'linux') return systemd
  if (platform === 'darwin') return launchd
  if (platform === 'win32') return taskScheduler
  throw new ServiceError(
    'NOT_SUPPORTED',
    `Daybook makes services for systemd, launchd and Windows only, and this system (${platform}) has none of them.`,
    [
      'Start it now:            daybook start --detach',
      'And at every log-in:     put that command into your shell’s profile; it may run again at any time',
    ],
  )
}
