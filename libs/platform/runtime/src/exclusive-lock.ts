// oxlint-disable-next-line typescript/triple-slash-reference -- brings our types of it to every importer
/// <reference path="./fs-native-extensions.d.ts" />
import { closeSync, ftruncateSync, mkdirSync, openSync, readFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { tryLock } from 'fs-native-extensions'

/**
 * A lock file held by this process. The file stays after release: removing it would let two processes hold
 * the lock.
 */
export interface ExclusiveLock {
  /** Writes who holds the lock, for the error message of other processes. */
  describe(holder: Readonly<Record<string, unknown>>): void
  release(): void
}

/** What the lock's holder wrote about itself; parts may be missing. */
export interface LockHolder {
  readonly pid?: number
  readonly [detail: string]: unknown
}

/**
 * Takes the lock, or returns null if another process holds it. It is a lock of the kernel (fcntl or
 * LockFileEx on the open file): it ends with its process, however that dies, and a living process never loses
 * it. Lock libraries that judge by a file's age can take it from a process that was only stopped or busy,
 * which destroys a PGlite folder.
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

/**
 * Whether a process holds the lock at `path` now. The file's text cannot tell: it outlives its writer, whose
 * process id may have gone to another program. Looking shares the lock for some microseconds, so that a
 * process which takes it just then is refused and must try again.
 */
export function isLocked(path: string): boolean {
  let file: number
  try {
    file = openSync(path, 'r')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  try {
    return !tryLock(file, { shared: true })
  } finally {
    closeSync(file)
  }
}

/** Whether a process with this id exists; a process of another user counts too. */
export function isAlive(pid: number): boolean {
  try {
    // Signal 0 is never sent; it only asks.
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Reads who holds the lock at `path`. Empty if it cannot be read. */
export function lockHolder(path: string): LockHolder {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as LockHolder
  } catch {
    return {}
  }
}
