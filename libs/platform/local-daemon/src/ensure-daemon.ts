import { pause } from '@daybook/runtime/backoff'
import { ensurePrivateFolder } from '@daybook/runtime/private-folder'
import {
  type Connection,
  type ConnectionOptions,
  connectionFrom,
  dataFolderFrom,
  type Environment,
  givenUrl,
  keyFrom,
  parseUrl,
} from './connection.ts'
import { daemonState, isAnswering, LocalDaemonError } from './daemon-state.ts'
import {
  failureSince,
  forgetFailure,
  keepFailure,
  logPathOf,
  notReady,
  type StartOptions,
  startDaemon,
  takeStartLock,
} from './start-daemon.ts'

/** How often to look again while another client starts the daemon, in milliseconds. */
const LOOK_MS = 100

/** A first start makes the database and the model's form on disk: some seconds, more on a busy machine. */
const TIMEOUT_MS = 120_000

/** Which daemon, and how long to wait for it. */
interface EnsureOptions {
  /** The data folder, absolute. It is made if it is missing. */
  readonly dataDir: string
  /** The settings of a daemon that must be started. Default: those of this process. */
  readonly environment?: Environment
  /** How long to wait until it serves, in milliseconds. @default 120000 */
  readonly timeoutMs?: number
  /** Told that a daemon is being started, by this process or another, which takes some seconds. */
  readonly onWait?: () => void
}

/** A daemon that serves. */
interface RunningDaemon {
  readonly url: string
  /** The key that opens all of it: of the data folder, or of `DAYBOOK_DEFAULT_KEY`. */
  readonly apiKey: string
  /** Where the key came from, for messages. */
  readonly keySource: string
  readonly dataDir: string
  /** Null if the daemon does not tell. */
  readonly pid: number | null
  /** Whether this call started it. */
  readonly started: boolean
  /** The log of daemons that were started like this; another's is where its starter wanted it. */
  readonly logPath: string
}

/**
 * Returns the daemon of a data folder, and starts it in the background if none runs:
 *
 *   look ──serving──▶ done
 *    │ ▲
 *    │ └──wait── starting, stopping, or another client has the start lock
 *    └──free──▶ start lock ──▶ look again ──▶ start ──▶ done, or its failure for all who waited
 *
 * However many clients ask at once, one daemon is started: the folder's own lock would allow only one, but
 * without the start lock each client would load a model to find that out.
 * @throws LocalDaemonError DAEMON_DID_NOT_START, DAEMON_NOT_READY, NO_API_KEY or PROGRAM_MISSING; DaybookError
 * CONFIGURATION if the folder cannot be used
 */
export async function ensureDaemon({
  dataDir,
  environment = process.env,
  timeoutMs = TIMEOUT_MS,
  onWait,
}: EnsureOptions): Promise<RunningDaemon> {
  const cameAt = Date.now()
  const deadline = cameAt + timeoutMs
  const logPath = logPathOf(dataDir)
  ensurePrivateFolder(dataDir)
  let [started, told] = [false, false]
  for (;;) {
    const found = daemonState(dataDir)
    if (found.state === 'serving' && (await isAnswering(found.url)))
      return { url: found.url, pid: found.pid, dataDir, started, logPath, ...keyOf(dataDir, environment) }
    if (Date.now() > deadline) throw notReady(dataDir, found, logPath)
    if (!told) onWait?.()
    told = true
    if (found.state === 'free' && (await startAlone({ dataDir, environment, deadline }, cameAt)))
      started = true
    else await pause(LOOK_MS)
  }
}

/** Starts a daemon unless another client is at it. @returns whether one was started */
async function startAlone(options: StartOptions, cameAt: number): Promise<boolean> {
  const { dataDir } = options
  const lock = takeStartLock(dataDir)
  if (lock === null) return false
  try {
    const failure = failureSince(dataDir, cameAt)
    if (failure !== null) throw failure
    // Another may have started it since we looked.
    if (daemonState(dataDir).state !== 'free') return false
    forgetFailure(dataDir)
    await startDaemon(options).catch((error: unknown) => {
      if (error instanceof LocalDaemonError) keepFailure(dataDir, error)
      throw error
    })
    return true
  } finally {
    lock.release()
  }
}

function keyOf(dataDir: string, environment: Environment): Pick<RunningDaemon, 'apiKey' | 'keySource'> {
  const given = environment['DAYBOOK_DEFAULT_KEY']?.trim()
  try {
    return keyFrom({ dataDir }, environment)
  } catch (error) {
    // A daemon that is given a key writes none.
    if (given) return { apiKey: given, keySource: 'the environment variable DAYBOOK_DEFAULT_KEY' }
    throw error
  }
}

/**
 * A connection for a program that must not ask anybody to start a daemon first, such as an MCP server. If an
 * address is given (`url`, `DAYBOOK_URL`), it is that daemon, which is elsewhere and not started from here.
 * Else it is the data folder's, started in the background if none runs. The key is chosen as by
 * `connectionFrom`: a key of the environment goes before the folder's, so that an agent can be given less.
 * @param onWait told that a daemon is being started, which takes some seconds
 * @throws what `connectionFrom` and `ensureDaemon` throw
 */
export async function connectOrStart(
  options: ConnectionOptions,
  environment: Environment,
  onWait?: () => void,
): Promise<Connection> {
  if (givenUrl(options, environment) !== undefined) return connectionFrom(options, environment)
  const dataDir = dataFolderFrom(options, environment)
  const { url, apiKey, keySource } = await ensureDaemon({
    dataDir,
    environment,
    ...(onWait !== undefined && { onWait }),
  })
  const ownKey =
    options.dataDir === undefined && (environment['DAYBOOK_API_KEY'] || environment['DAYBOOK_API_KEY_FILE'])
  if (ownKey) return connectionFrom(options, environment)
  const project = options.project ?? (environment['DAYBOOK_PROJECT'] || null)
  return { url: parseUrl(url), isGiven: false, dataDir, project, apiKey, keySource }
}
