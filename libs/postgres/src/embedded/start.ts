import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { DaybookError } from '@daybook/memory/errors'
import { backoffDelay, pause } from '@daybook/runtime/backoff'
import { lockHolder } from '@daybook/runtime/exclusive-lock'
import type { Logger } from '@daybook/runtime/logger'
import { siblingModule } from '@daybook/runtime/sibling-module'
import type { DatabaseAddress } from '../connect.ts'
import { SOCKET_PORT, socketPath } from './host-folder.ts'
import type { ChildMessage } from './messages.ts'

/** The embedded Postgres: PGlite in a child process behind a Unix socket. */
export interface EmbeddedDatabase {
  readonly address: DatabaseAddress
  /**
   * The process id of the server now; undefined between a crash and the restart. For status and crash tests.
   */
  readonly pid: () => number | undefined
  /** Closes the database and ends its process, within 3 s. Close every connection first. */
  stop(): Promise<void>
  /** Ends its process at once and for good, whatever it is doing. Every committed row stays. */
  kill(): void
}

/** How the embedded database runs. */
export interface EmbeddedOptions {
  /** Whether a commit waits until it is on the disk. Default true. */
  readonly fsync?: boolean
}

const START_TIMEOUT_MS = 60_000

const STOP_TIMEOUT_MS = 3_000

/** A process that lives so long was not started in vain. */
const STEADY_MS = 10_000

/**
 * Starts the database in `dataDir` (`postgres/` and its lock are made there), and starts it again whenever it
 * dies. The caller must hold the data folder's own lock. Then a process that still has the database's lock
 * can only be the orphan of a killed daemon. An orphan ends by itself unless a long statement keeps it busy,
 * so it is killed.
 *
 * Every committed row survives `kill -9`, and with `fsync` a power cut, too (`host-folder.ts`), unless its commit did
 * not wait (`connect.ts`).
 *
 * @throws DaybookError UNAVAILABLE if it does not start
 */
export async function startEmbeddedDatabase(
  dataDir: string,
  logger: Logger,
  { fsync = true }: EmbeddedOptions = {},
): Promise<EmbeddedDatabase> {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const paths = {
    data: join(dataDir, 'postgres'),
    lock: join(dataDir, 'postgres.lock'),
    socket: socketPath(dataDir),
    fsync,
  }
  let child: ChildProcess | undefined
  const lifetime = new AbortController()
  /** The current restart, if any. */
  let restart: Promise<void> | undefined
  /** How many processes in a row died soon after they had started. */
  let shortLives = 0

  const launch = async (): Promise<void> => {
    const started = await launchUnlocked(paths)
    const since = performance.now()
    child = started
    started.once('exit', (code, signal) => {
      child = undefined
      if (lifetime.signal.aborted) return
      logger.warn({ code, signal }, 'the embedded database died; starting it again')
      shortLives = performance.now() - since < STEADY_MS ? shortLives + 1 : 0
      restart = tryUntilStarted(relaunch, lifetime.signal, onFailure, shortLives)
    })
  }
  const relaunch = async (): Promise<void> => {
    // A new process would make an empty one, and be taken for it.
    if (!existsSync(join(paths.data, 'PG_VERSION')))
      throw new DaybookError('UNAVAILABLE', `The embedded database is gone from ${paths.data}`)
    await launch()
    logger.info('the embedded database is back')
  }
  const onFailure = (error: unknown) => logger.error({ error }, 'the embedded database does not start')

  await launch()
  return {
    address: {
      // Everything that names the server is given here: pg takes what is left out from PGPORT and the like.
      connection: {
        host: dirname(paths.socket),
        port: SOCKET_PORT,
        user: 'postgres',
        database: 'postgres',
        ssl: false,
      },
      maxConnections: 1,
      ownSessions: false,
    },
    pid: () => child?.pid,
    async stop() {
      lifetime.abort()
      // A child that is just starting would otherwise outlive this.
      await restart
      if (child !== undefined) await stopChild(child)
    },
    kill() {
      lifetime.abort()
      child?.kill('SIGKILL')
    },
  }
}

interface Paths {
  readonly data: string
  readonly lock: string
  readonly socket: string
  readonly fsync: boolean
}

async function launchUnlocked(paths: Paths): Promise<ChildProcess> {
  const deadline = Date.now() + START_TIMEOUT_MS
  for (let attempt = 0; ; attempt += 1) {
    const child = forkChild(paths)
    const answer = await firstAnswer(child)
    if (answer.type === 'serving') return child
    if (answer.type !== 'locked' || Date.now() > deadline)
      throw new DaybookError(
        'UNAVAILABLE',
        `The embedded database in ${paths.data} did not start: ${answer.type === 'failed' ? answer.reason : 'another process holds it and does not end'}`,
      )
    endOrphan(paths.lock)
    await pause(backoffDelay(attempt, TRYING))
  }
}

/**
 * In that process JavaScript only carries bytes, so V8 and malloc need no reserves: 30 MB less, at the same
 * speed. What the database needs of its WebAssembly is compiled when it is first called, and optimised after eleven
 * times V8's default of work: a start takes 1.7 s of processor time instead of 2.5, and its first thousand inserts
 * and scans are no slower, nor are later ones.
 */
const FRUGAL = {
  flags: ['--max-semi-space-size=1', '--wasm-lazy-compilation', '--wasm-tiering-budget=20000000'],
  environment: { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' },
}

function forkChild(paths: Paths): ChildProcess {
  const module = siblingModule(import.meta.url, './child.ts', './embedded-postgres.js')
  return fork(module.path, [paths.data, paths.lock, paths.socket, paths.fsync ? 'on' : 'off'], {
    execArgv: [...FRUGAL.flags, ...module.execArgv],
    env: { ...process.env, ...FRUGAL.environment },
    // Standard output belongs to the daemon; what PGlite prints belongs to the log.
    stdio: ['ignore', 2, 2, 'ipc'],
  })
}

function firstAnswer(child: ChildProcess): Promise<ChildMessage> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL')
      resolve({ type: 'failed', reason: `it gave no answer for ${START_TIMEOUT_MS / 1000} s` })
    }, START_TIMEOUT_MS)
    child.once('message', (message) => {
      clearTimeout(timer)
      resolve(message as ChildMessage)
    })
    for (const end of ['exit', 'error'])
      child.once(end, () => {
        clearTimeout(timer)
        resolve({ type: 'failed', reason: 'its process ended; what it printed says why' })
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
  // The child may die at this very moment. Then there is nobody to tell, and `exit` comes anyway.
  child.send('stop', () => {})
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS)
  await ended
  clearTimeout(timer)
}

/**
 * A try takes half a second of a core, so one that cannot succeed soon becomes rare; not so rare that people wait for more than
 * seconds after they have made room on a full disk.
 */
export const TRYING = { firstMs: 100, maxMs: 10_000 }

/**
 * Tries until it succeeds or is aborted, ever less often: at last every 5 to 10 s.
 *
 * @param failures how many tries in a row were in vain before; after some, the first waits, too
 */
export async function tryUntilStarted(
  start: () => Promise<void>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
  failures = 0,
): Promise<void> {
  for (let failed = failures; ; failed += 1) {
    if (failed > 0) await pause(backoffDelay(failed - 1, TRYING), signal)
    if (signal.aborted) return
    try {
      return await start()
    } catch (error) {
      onFailure(error)
    }
  }
}
