import { type ChildProcess, fork } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DaybookError } from '@daybook/memory/errors'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import { lockHolder } from '@daybook/runtime/exclusive-lock'
import type { Logger } from '@daybook/runtime/logger'
import { siblingModule } from '@daybook/runtime/sibling-module'
import type { DatabaseAddress } from '../connect.ts'
import type { ChildMessage } from './messages.ts'
import { socketPath } from './socket-path.ts'

/** The embedded Postgres: PGlite in a child process behind a Unix socket. */
export interface EmbeddedDatabase {
  readonly address: DatabaseAddress
  /** The process that serves now; undefined between a crash and the restart. For status and crash tests. */
  readonly pid: () => number | undefined
  /** Closes the database and ends its process. Close every connection before. */
  stop(): Promise<void>
}

const START_TIMEOUT_MS = 60_000
const STOP_TIMEOUT_MS = 10_000

/**
 * Starts the database in `dataDir` (`postgres/` and its lock are made there) and starts it again whenever it dies.
 * The caller must hold the data folder's own lock: then a process that still has the database's lock can only be an
 * orphan of a daemon that was killed. It ends by itself, unless a long statement keeps it; so it is ended.
 *
 * PGlite keeps every committed row through `kill -9`, but never syncs to disk: a power failure can lose the last moments.
 *
 * @throws DaybookError UNAVAILABLE where it does not come up.
 */
export async function startEmbeddedDatabase(dataDir: string, logger: Logger): Promise<EmbeddedDatabase> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const paths = {
    data: join(dataDir, 'postgres'),
    lock: join(dataDir, 'postgres.lock'),
    socket: socketPath(dataDir),
  }
  let child: ChildProcess | undefined
  let stopping = false

  const launch = async (): Promise<void> => {
    const started = await launchUnlocked(paths)
    child = started
    started.once('exit', (code, signal) => {
      child = undefined
      if (stopping) return
      logger.warn({ code, signal }, 'the embedded database died; starting it again')
      void relaunch()
    })
  }
  const relaunch = async (): Promise<void> => {
    for (let attempt = 0; !stopping && child === undefined; attempt += 1) {
      try {
        await launch()
        logger.info('the embedded database is back')
      } catch (error) {
        logger.error({ error }, 'the embedded database does not start')
        await pause(backoffDelay(attempt))
      }
    }
  }

  await launch()
  return {
    address: {
      connection: { host: dirname(paths.socket), user: 'postgres', database: 'postgres' },
      maxConnections: 1,
    },
    pid: () => child?.pid,
    async stop() {
      stopping = true
      if (child !== undefined) await stopChild(child)
    },
  }
}

interface Paths {
  readonly data: string
  readonly lock: string
  readonly socket: string
}

async function launchUnlocked(paths: Paths): Promise<ChildProcess> {
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    const child = forkChild(paths)
    const answer = await firstAnswer(child)
    if (answer === 'serving') return child
    if (answer !== 'locked' || Date.now() > deadline)
      throw new DaybookError(
        'UNAVAILABLE',
        `The embedded database in ${paths.data} did not start (${answer}); the log says why`,
      )
    endOrphan(paths.lock)
    await pause(100)
  }
}

function forkChild(paths: Paths): ChildProcess {
  const module = siblingModule(import.meta.url, './child.ts', './embedded-postgres.js')
  return fork(module.path, [paths.data, paths.lock, paths.socket], {
    execArgv: [...module.execArgv],
    // Standard output is the daemon's own; what PGlite prints belongs to the log.
    stdio: ['ignore', 2, 2, 'ipc'],
  })
}

function firstAnswer(child: ChildProcess): Promise<ChildMessage['type'] | 'no answer' | 'it ended'> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      resolve('no answer')
    }, START_TIMEOUT_MS)
    child.once('message', (message) => {
      clearTimeout(timer)
      resolve((message as ChildMessage).type)
    })
    child.once('exit', () => {
      clearTimeout(timer)
      resolve('it ended')
    })
  })
}

function endOrphan(lockPath: string): void {
  const { pid } = lockHolder(lockPath)
  if (pid === undefined) return
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function stopChild(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  child.send('stop')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await ended
  clearTimeout(timer)
}
