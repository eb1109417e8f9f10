import { request } from 'node:http'
import { join } from 'node:path'
import { isLocked, lockHolder } from '@daybook/runtime/exclusive-lock'

/**
 * What the lock of a data folder says of its daemon:
 *
 *   free ──takes the lock──▶ starting ──listens──▶ serving ──signal──▶ stopping ──ends──▶ free
 *
 * From each state a daemon that is killed leads to `free` at once, because the lock is the kernel's.
 */
export type DaemonState =
  | { readonly state: 'free' }
  | { readonly state: 'starting' | 'stopping'; readonly pid: number | null }
  | { readonly state: 'serving'; readonly pid: number | null; readonly url: string }

/** Reads the state of a data folder's daemon. A folder that does not exist is free. */
export function daemonState(dataDir: string): DaemonState {
  const path = join(dataDir, 'daemon.lock')
  if (!isLocked(path)) return { state: 'free' }
  const { pid = null, url, stopping } = lockHolder(path)
  if (stopping === true) return { state: 'stopping', pid }
  return typeof url === 'string' ? { state: 'serving', pid, url } : { state: 'starting', pid }
}

/**
 * The address that the daemon of a data folder serves; null if none serves. The lock decides: the file outlives its daemon, whose
 * process id and port may have gone to strangers.
 */
export function servedAt(dataDir: string): string | null {
  try {
    const found = daemonState(dataDir)
    return found.state === 'serving' ? found.url : null
  } catch {
    // A folder that cannot be read names nothing.
    return null
  }
}

/** How long an answer may take, in milliseconds. */
const ANSWER_MS = 5_000

/**
 * Whether a daemon answers at the address. Node's own HTTP, because loading `fetch` takes 30 ms
 * (docs/measurements.md#start-of-the-cli).
 */
export function isAnswering(url: string): Promise<boolean> {
  return new Promise((resolve) => {
    request(`${url}/health`, { signal: AbortSignal.timeout(ANSWER_MS) }, (response) => {
      response.resume().on('error', () => resolve(false))
      resolve(response.statusCode === 200)
    })
      .on('error', () => resolve(false))
      .end()
  })
}

/** Why this machine's daemon cannot be used, as a word that programs may switch on. */
export type LocalDaemonErrorCode =
  /** The given address is not a URL. */
  | 'INVALID_URL'
  | 'NO_API_KEY'
  /** It ended before it served; the message holds the end of its log. */
  | 'DAEMON_DID_NOT_START'
  /** A process has the data folder, but does not serve in time. */
  | 'DAEMON_NOT_READY'
  | 'DAEMON_DID_NOT_STOP'
  /** Nothing serves the data folder, or no longer at the address that it named, so its key has nowhere to go. */
  | 'DAEMON_NOT_RUNNING'
  /** A program of Daybook, such as the daemon, is not where it should be. */
  | 'PROGRAM_MISSING'

/** An expected failure: a sentence for whoever uses this machine, and what to do next. */
export class LocalDaemonError extends Error {
  readonly code: LocalDaemonErrorCode
  /** One line each: what to try. */
  readonly hints: readonly string[]

  constructor(code: LocalDaemonErrorCode, message: string, hints: readonly string[] = []) {
    super(message)
    this.name = new.target.name
    this.code = code
    this.hints = hints
  }
}
