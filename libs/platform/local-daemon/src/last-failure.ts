import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { LocalDaemonError, type LocalDaemonErrorCode } from './local-daemon-error.ts'

/*
 * Clients that wait for another's attempt to start a daemon share its failure. Else each would try again after
 * the one before: fifty failing starts, one after the other.
 */

interface Kept extends Pick<LocalDaemonError, 'message' | 'hints'> {
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
    const { at, code, message, hints } = JSON.parse(readFileSync(pathOf(dataDir), 'utf8')) as Kept
    return at < since ? null : new LocalDaemonError(code, message, hints)
  } catch {
    // There is none, or it is being written by an attempt that the caller has not waited for.
    return null
  }
}
