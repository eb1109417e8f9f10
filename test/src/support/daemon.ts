import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { copyMigratedCluster } from '@daybook/postgres/testing/embedded-template'
import { pause } from '@daybook/runtime/backoff'
import { lockHolder } from '@daybook/runtime/exclusive-lock'
import {
  HANGS_MS,
  isReady,
  killAtExit,
  killChild,
  killNow,
  printedAddress,
  stopChild,
  testEnvironment,
  untilGone,
} from './child-process.ts'
import { type Api, askGraphQL, TransportError } from './graphql.ts'

/**
 * A real daemon in its own process, on a data folder that outlives it:
 *
 *   stopped ──start──▶ starting ──/ready──▶ running ──kill, stop, or it dies──▶ stopped
 */
export interface TestDaemon extends Api {
  readonly dataDir: string
  /** @throws DaemonDidNotStart if it ends before it is ready, or is hangs */
  start(options?: StartOptions): Promise<void>
  /** The address it listens on; null while it is stopped. */
  url(): string | null
  pid(): number | undefined
  /** The embedded database's process, as its lock names it; undefined if it is no child of this daemon. */
  databasePid(): number | undefined
  /** `kill -9` of the daemon; its database notices by itself. Resolves when the process is gone. */
  kill(): Promise<void>
  /** `kill -9` of the database's process. @returns its process id; undefined if there was none */
  killDatabase(): number | undefined
  /** SIGTERM. @returns the exit code; null if it hung, and had to be killed */
  stop(): Promise<number | null>
  /** Waits for `/ready`. @returns false if it ends, or hangs */
  ready(): Promise<boolean>
  /** The end of its log. */
  log(characters?: number): string
  /** The standard output of all its runs together. */
  output(): string
  /** Sends a message to an `entry` that takes some. Resolves with its answer. @throws Error if it is stopped */
  tell(message: unknown): Promise<unknown>
  /** Kills it and deletes the folder. */
  remove(): Promise<void>
}

/** How a daemon is started. */
export interface StartOptions {
  /** Default `none`: no model is loaded. */
  readonly embedder?: string
  readonly environment?: Readonly<Record<string, string>>
  /**
   * Whether a new temporary folder begins empty. Default false: it gets a migrated database, which saves 4 s.
   */
  readonly emptyFolder?: boolean
  /** A source file, from the repository's folder, to run instead of the daemon's bundle. It may take messages. */
  readonly entry?: string
}

/** The daemon ended, or was not ready in time. The message holds its log. */
export class DaemonDidNotStart extends Error {}

/** The repository's folder. */
export const REPOSITORY = fileURLToPath(new URL('../../..', import.meta.url))

interface Running {
  readonly process: ChildProcess
  url: string | null
}

/** @param givenDataDir default a new temporary folder. */
export function createTestDaemon(givenDataDir?: string, defaults: StartOptions = {}): TestDaemon {
  const dataDir = givenDataDir ?? mkdtempSync(join(tmpdir(), 'daybook-daemon-'))
  mkdirSync(dataDir, { recursive: true })
  const logPath = join(dataDir, 'daemon.log')
  let current: Running | null = null
  let printed = ''

  const log = (characters = 3_000) =>
    existsSync(logPath) ? readFileSync(logPath, 'utf8').slice(-characters) : ''

  const ready = async (): Promise<boolean> => {
    for (const deadline = Date.now() + HANGS_MS; ; ) {
      const url = current?.url ?? null
      if (url === null) return false
      if (await isReady(url)) return true
      if (Date.now() > deadline) return false
      await pause(25)
    }
  }

  const daemon: TestDaemon = {
    dataDir,
    async start(options = {}) {
      if (current !== null) throw new Error('the daemon is running already')
      const { emptyFolder = false, environment = {} } = { ...defaults, ...options }
      const isNew = givenDataDir === undefined && !existsSync(join(dataDir, 'postgres'))
      if (isNew && !emptyFolder && environment['DATABASE_URL'] === undefined)
        await copyMigratedCluster(dataDir)
      const started: Running = {
        process: spawnDaemon(dataDir, logPath, { ...defaults, ...options }),
        url: null,
      }
      current = started
      started.process.stdout?.on('data', (data: Buffer) => (printed += data.toString()))
      killAtExit(started.process)
      started.process.once('exit', () => {
        if (current === started) current = null
      })
      started.url = await printedAddress(started.process, /ready at (http:\S+)/u)
      if (started.url !== null && (await ready())) return
      const { exitCode, signalCode } = started.process
      const how =
        exitCode === null && signalCode === null ? 'not ready in time' : `ended (${exitCode ?? signalCode})`
      await daemon.kill()
      throw new DaemonDidNotStart(`the daemon did not start: ${how}\n${log()}`)
    },
    running: () => current !== null && current.url !== null,
    url: () => current?.url ?? null,
    pid: () => current?.process.pid,
    databasePid: () => {
      const { pid, parent } = lockHolder(join(dataDir, 'postgres.lock'))
      return current !== null && parent === current.process.pid ? pid : undefined
    },
    async kill() {
      if (current !== null) await killChild(current.process)
    },
    killDatabase() {
      const pid = daemon.databasePid()
      return pid !== undefined && killNow(pid) ? pid : undefined
    },
    stop: async () => (current === null ? 0 : stopChild(current.process)),
    ready,
    async graphql(request) {
      const url = current?.url ?? null
      if (url === null) throw new TransportError('the daemon is stopped')
      return askGraphQL({ url, apiKey: readFileSync(join(dataDir, 'api-key'), 'utf8').trim() }, request)
    },
    tell: (message) =>
      new Promise((resolve, reject) => {
        if (current === null) throw new Error('the daemon is stopped')
        const { process: child } = current
        const ended = () => reject(new Error(`the daemon has ended\n${log()}`))
        child.once('exit', ended)
        child.once('message', (answer) => {
          child.off('exit', ended)
          resolve(answer)
        })
        child.send(message as object)
      }),
    log,
    output: () => printed,
    async remove() {
      await daemon.kill()
      const { pid } = lockHolder(join(dataDir, 'postgres.lock'))
      if (pid !== undefined) await untilGone(pid)
      rmSync(dataDir, { recursive: true, force: true, maxRetries: 5 })
    },
  }
  return daemon
}

function spawnDaemon(
  dataDir: string,
  logPath: string,
  { embedder = 'none', environment = {}, entry }: StartOptions,
) {
  const logFile = openSync(logPath, 'a')
  try {
    const program = entry === undefined ? ['scripts/start.mjs', 'daemon'] : ['--import', 'tsx', entry]
    return spawn(process.execPath, program, {
      cwd: REPOSITORY,
      stdio: ['ignore', 'pipe', logFile, ...(entry === undefined ? [] : ['ipc' as const])],
      env: {
        ...testEnvironment(),
        DAYBOOK_TEST_OWNER: String(process.pid),
        DAYBOOK_DATA_DIR: dataDir,
        DAYBOOK_PORT: '0',
        DAYBOOK_EMBEDDER: embedder,
        DAYBOOK_MODEL_CACHE: testCacheDir(),
        // Tests must find damage that the self-check would repair.
        DAYBOOK_SELF_CHECK: 'off',
        LOG_LEVEL: 'info',
        ...environment,
      },
    })
  } finally {
    closeSync(logFile)
  }
}
