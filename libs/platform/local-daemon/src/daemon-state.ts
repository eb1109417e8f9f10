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
