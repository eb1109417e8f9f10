import type { ChildProcess } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { pause } from '@daybook/runtime/backoff'

/** What processes of tests get of this one's environment: what a shell has, and what lets the run count them. */
export function testEnvironment(): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR, NODE_OPTIONS, DAYBOOK_TEST_RUN, DAYBOOK_TEST_FILE } = process.env
  return { PATH, HOME, TMPDIR, NODE_OPTIONS, DAYBOOK_TEST_RUN, DAYBOOK_TEST_FILE }
}

/** Milliseconds that only what hangs takes: a little less than a test may. */
export const HANGS_MS = 240_000

/** @returns the first address that the process prints; null if it ended before, or hangs */
export function printedAddress(child: ChildProcess, pattern: RegExp): Promise<string | null> {
  return new Promise((resolve) => {
    let printed = ''
    const done = (url: string | null) => {
      clearTimeout(timer)
      resolve(url)
    }
    const timer = setTimeout(() => done(null), HANGS_MS)
    child.stdout?.on('data', (chunk: Buffer) => {
      if (printed.length > 10_000) return
      printed += chunk.toString()
      const url = pattern.exec(printed)?.[1]
      if (url !== undefined) done(url)
    })
    child.once('exit', () => done(null))
    child.once('error', () => done(null))
  })
}

/** Whether the service at the address says that it is ready. */
export async function isReady(url: string): Promise<boolean> {
  try {
    const response = await fetch(`${url}/ready`, { signal: AbortSignal.timeout(HANGS_MS) })
    await response.text()
    return response.ok
  } catch {
    return false
  }
}

/** Resolves when the process has ended. */
export function untilExit(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) resolve()
    else child.once('exit', () => resolve())
  })
}

/** Kills the child when this process ends, if it is still alive. */
export function killAtExit(child: ChildProcess): void {
  const killIt = () => child.kill('SIGKILL')
  process.once('exit', killIt)
  child.once('exit', () => process.off('exit', killIt))
}

/** `kill -9`. Resolves when the process is gone. */
export async function killChild(child: ChildProcess): Promise<void> {
  const ended = untilExit(child)
  child.kill('SIGKILL')
  await ended
}

/** SIGTERM. @returns the exit code; null if it hung, and had to be killed */
export async function stopChild(child: ChildProcess): Promise<number | null> {
  const ended = untilExit(child)
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), HANGS_MS)
  await ended
  clearTimeout(timer)
  return child.exitCode
}

/** Sends signal 9. @returns false if there is no such process */
export function killNow(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

/**
 * Waits until no process has this id. A database that is creating its files reacts to nothing meanwhile:
 * seconds on a quiet machine, more than ten on a busy one.
 * @returns whether that happened
 */
export async function untilGone(pid: number): Promise<boolean> {
  for (const deadline = Date.now() + HANGS_MS; Date.now() < deadline; await pause(20))
    if (!isAlive(pid)) return true
  return !isAlive(pid)
}

/**
 * Whether the process runs. One that was killed and whose parent is gone still has its number until init
 * collects it, which took 1.8 s here: on Linux its state tells.
 */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return !stat.slice(stat.lastIndexOf(')')).startsWith(') Z')
  } catch (error) {
    const { code, syscall } = error as NodeJS.ErrnoException
    // Elsewhere than on Linux there is no such file.
    return code === 'ENOENT' && syscall === 'open' && process.platform !== 'linux'
  }
}
