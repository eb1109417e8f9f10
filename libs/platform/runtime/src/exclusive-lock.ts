// oxlint-disable-next-line typescript/triple-slash-reference -- the package has no types; this brings ours to every importer
/// <reference path="./fs-native-extensions.d.ts" />
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { tryLock } from 'fs-native-extensions'

/** A lock file held by this process. The file stays when the lock goes: removing it would let two processes hold it. */
export interface ExclusiveLock {
  /** Says who holds the lock, for the message that others get. */
  describe(holder: Readonly<Record<string, unknown>>): void
  release(): void
}

/** What the lock's holder said of itself, as far as it got. */
export interface LockHolder {
  readonly pid?: number
  readonly [detail: string]: unknown
}

/**
 * Takes the lock or returns null where another process holds it. The lock is the kernel's (fcntl or LockFileEx on the
 * open file), so it ends with its process however that dies, and a living process never loses it. Lock libraries that
 * go by a file's age can take the lock from a process that was merely stopped or busy, which destroys a PGlite folder.
 */
export function takeLock(path: string): ExclusiveLock | null {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(path, 'a+', 0o600)
  if (!tryLock(file)) {
    closeSync(file)
    return null
  }
  const describe = (holder: Readonly<Record<string, unknown>>) => {
    ftruncateSync(file)
    writeSync(file, JSON.stringify({ pid: process.pid, ...holder }), 0)
  }
  describe({})
  return { describe, release: () => closeSync(file) }
}

/** Who holds the lock at `path`, as written there. Empty where it cannot be read. */
export function lockHolder(path: string): LockHolder {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LockHolder
  } catch {
    return {}
  }
}
