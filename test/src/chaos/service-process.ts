import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { testCacheDir } from '@daybook/embeddings/testing/test-cache'
import { pause } from '@daybook/runtime/backoff'
import {
  HANGS_MS,
  isReady,
  killAtExit,
  killChild,
  printedAddress,
  stopChild,
  testEnvironment,
} from '../support/child-process.ts'
import { REPOSITORY } from '../support/daemon.ts'

/** The services that a cluster runs. */
export type ServiceName = 'gateway' | 'projector-pgvector' | 'projector-typesense' | 'reindex'

/** One service of a cluster in its own process, which can be killed and restarted. */
export interface ServiceProcess {
  /** `gateway-1` */
  readonly name: string
  readonly service: ServiceName
  /** The address it listens on; null while it is down. */
  url(): string | null
  /** Resolves once it works, even if the servers it needs are unavailable. @throws if it ends instead */
  start(): Promise<void>
  /** `kill -9`. Resolves when the process is gone. */
  kill(): Promise<void>
  /** SIGTERM. @returns the exit code; null if it hung, and had to be killed */
  stop(): Promise<number | null>
  /** Suspends the process, like a machine that hangs. @returns a function that resumes it */
  freeze(): () => void
  /** The end of its log. */
  log(): string
}

/** How a service's process is started. */
export interface ServiceProcessOptions {
  readonly name: string
  readonly service: ServiceName
  /** The folder for its data folder and its log. */
  readonly folder: string
  readonly environment: Readonly<Record<string, string>>
}

/** Prepares a service's process, without starting it. */
export function createServiceProcess(options: ServiceProcessOptions): ServiceProcess {
  const { name, service, folder, environment } = options
  const dataDir = join(folder, name)
  const logPath = join(folder, `${name}.log`)
  mkdirSync(dataDir, { recursive: true })
  let current: { readonly process: ChildProcess; url: string | null } | null = null

  const spawnIt = (): ChildProcess => {
    const log = openSync(logPath, 'a')
    try {
      return spawn(process.execPath, ['scripts/start.mjs', service], {
        cwd: REPOSITORY,
        stdio: ['ignore', 'pipe', log],
        env: {
          ...testEnvironment(),
          DAYBOOK_DATA_DIR: dataDir,
          DAYBOOK_MODEL_CACHE: testCacheDir(),
          DAYBOOK_PORT: '0',
          LOG_LEVEL: 'info',
          // Tests must find damage that the self-check would repair.
          DAYBOOK_SELF_CHECK: 'off',
          ...environment,
        },
      })
    } finally {
      closeSync(log)
    }
  }

  const one: ServiceProcess = {
    name,
    service,
    url: () => current?.url ?? null,
    async start() {
      if (current !== null) throw new Error(`${name} is running already`)
      const started = { process: spawnIt(), url: null as string | null }
      current = started
      killAtExit(started.process)
      started.process.once('exit', () => {
        if (current === started) current = null
      })
      const url = await printedAddress(started.process, /at (http:\/\/[\d.]+:\d+)/u)
      for (const deadline = Date.now() + HANGS_MS; url !== null && current === started; await pause(25)) {
        if (await isReady(url)) {
          started.url = url
          return
        }
        if (Date.now() > deadline) break
      }
      const how = started.process.exitCode ?? started.process.signalCode ?? 'not ready in time'
      await one.kill()
      throw new Error(`${name} did not start (${how})\n${one.log()}`)
    },
    async kill() {
      if (current !== null) await killChild(current.process)
    },
    stop: async () => (current === null ? 0 : stopChild(current.process)),
    freeze() {
      const frozen = current?.process
      frozen?.kill('SIGSTOP')
      return () => void frozen?.kill('SIGCONT')
    },
    log: () => readFileSync(logPath, 'utf8').slice(-3_000),
  }
  return one
}
