import { join } from 'node:path'
import { DaybookError } from '@daybook/memory/errors'
import type { Progress } from '@daybook/process/process-parts'
import { pause } from '@daybook/runtime/backoff'
import {
  type ExclusiveLock,
  isAlive,
  type LockHolder,
  lockHolder,
  takeLock,
} from '@daybook/runtime/exclusive-lock'

/**
 * This process's lock on the data folder. It tells other processes that want the folder what this one is
 * doing.
 */
export interface DataFolderLock {
  serving(url: string): void
  stopping(): void
  release(): void
}

/** Milliseconds to wait for a daemon that is stopping: more than a stop may take. */
const STOPPING_MS = 15_000
/** How long to wait for a lock whose file names no living holder, in milliseconds. */
const UNREADABLE_MS = 500

/**
 * Locks the data folder for this process. If the daemon that holds it is stopping, it waits for that.
 * @throws DaybookError LOCKED, naming the daemon that has it
 */
export async function lockDataFolder(
  dataDir: string,
  progress: Progress,
  stoppingMs = STOPPING_MS,
): Promise<DataFolderLock> {
  const path = join(dataDir, 'daemon.lock')
  const beganAt = Date.now()
  let told = false
  for (;;) {
    const lock = takeLock(path)
    if (lock !== null) return describing(lock)
    const holder = lockHolder(path)
    const waited = Date.now() - beganAt
    const stopping = holder['stopping'] === true
    // The lock file is empty for a moment while its holder writes it. Who only looks whether a daemon runs has
    // the lock for a moment, and the file still names the daemon before.
    const unnamed = holder.pid === undefined || !isAlive(holder.pid)
    const wait = stopping && !unnamed ? waited < stoppingMs : unnamed && waited < UNREADABLE_MS
    if (!wait) throw refusal(dataDir, holder)
    if (stopping && !told) progress(`The Daybook before${named(holder)} is stopping: waiting for its end`)
    told ||= stopping
    await pause(50)
  }
}

function describing(lock: ExclusiveLock): DataFolderLock {
  let serving: { readonly url?: string } = {}
  return {
    serving(url) {
      serving = { url }
      lock.describe(serving)
    },
    stopping: () => lock.describe({ ...serving, stopping: true }),
    release: lock.release,
  }
}

function named({ pid, url }: LockHolder): string {
  const who = [pid === undefined ? '' : `process ${pid}`, typeof url === 'string' ? `at ${url}` : '']
  const text = who.filter(Boolean).join(' ')
  return text === '' ? '' : ` (${text})`
}

function refusal(dataDir: string, holder: LockHolder): DaybookError {
  const state = holder['stopping'] === true ? ' and is stopping, but does not end' : ''
  return new DaybookError(
    'LOCKED',
    `Another Daybook${named(holder)} uses the data folder ${dataDir}${state}.\n` +
      'Use that one, stop it, or give this one a folder of its own with DAYBOOK_DATA_DIR.',
  )
}
