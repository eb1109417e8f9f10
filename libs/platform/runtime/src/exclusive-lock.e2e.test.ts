import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAlive, isLocked, lockHolder, takeLock } from './exclusive-lock.ts'

/** A process that tries to take the lock, prints whether it has it, and then stays alive. */
const SCRIPT = `
  const { takeLock } = await import('${new URL('./exclusive-lock.ts', import.meta.url).href}')
  const lock = takeLock(process.argv[1])
  lock?.describe({ url: 'http://127.0.0.1:4000' })
  console.log(lock === null ? 'refused' : 'taken')
  if (lock !== null) setInterval(() => {}, 1000)`

describe('an exclusive lock', () => {
  let folder: string
  let path: string
  const others: ChildProcess[] = []
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'daybook-test-'))
    path = join(folder, 'deep', 'lock')
  })
  afterEach(() => {
    for (const other of others.splice(0)) other.kill('SIGKILL')
    rmSync(folder, { recursive: true })
  })

  async function another(): Promise<{ said: string; process: ChildProcess }> {
    const args = ['--import', import.meta.resolve('tsx'), '--input-type=module', '--eval', SCRIPT, path]
    const other = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
    others.push(other)
    const said = await new Promise<string>((resolve) =>
      other.stdout?.once('data', (data) => resolve(String(data).trim())),
    )
    return { said, process: other }
  }
  const killed = (other: ChildProcess) =>
    new Promise<void>((resolve) => {
      other.once('exit', () => resolve())
      other.kill('SIGKILL')
    })

  it('keeps other processes out, says who holds it, and ends with kill -9', async () => {
    const holder = await another()
    expect(holder.said).toBe('taken')
    expect(takeLock(path)).toBeNull()
    expect(lockHolder(path)).toEqual({ pid: holder.process.pid, url: 'http://127.0.0.1:4000' })
    await killed(holder.process)
    const lock = takeLock(path)
    expect(lock).not.toBeNull()
    expect(lockHolder(path)).toEqual({ pid: process.pid })
    lock?.release()
  })

  it('stays with a process that is stopped', async () => {
    const holder = await another()
    holder.process.kill('SIGSTOP')
    expect(takeLock(path)).toBeNull()
    expect((await another()).said).toBe('refused')
  })

  it('keeps the same process out too, and being looked at does not end it', async () => {
    const lock = takeLock(path)
    expect(takeLock(path)).toBeNull()
    // With POSIX locks, closing any other descriptor of the file in this process would release the lock.
    lockHolder(path)
    expect((await another()).said).toBe('refused')
    lock?.release()
    expect((await another()).said).toBe('taken')
  })

  it('tells whether it is held, without taking it from anybody', async () => {
    expect(isLocked(path)).toBe(false)
    const holder = await another()
    expect(isLocked(path)).toBe(true)
    expect(isAlive(holder.process.pid as number)).toBe(true)
    await killed(holder.process)
    expect(isAlive(holder.process.pid as number)).toBe(false)
    expect(isLocked(path)).toBe(false)
    expect((await another()).said).toBe('taken')
  })

  it('describes its holder again each time, and is nobody else’s to read', () => {
    const lock = takeLock(path)
    lock?.describe({ url: 'a long one that must not shine through' })
    lock?.describe({ n: 1 })
    expect(lockHolder(path)).toEqual({ pid: process.pid, n: 1 })
    expect(statSync(path).mode & 0o777).toBe(0o600)
    lock?.release()
  })

  it('has an unknown holder where there is no file', () => {
    expect(lockHolder(join(folder, 'none'))).toEqual({})
  })
})
