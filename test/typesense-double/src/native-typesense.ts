import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause } from '@daybook/runtime/backoff'
import { freePort } from '@daybook/runtime/testing/free-port'
import { type KeptProcess, startKept } from '@daybook/runtime/testing/kept-process'

/** A real Typesense server for one test, which may kill, freeze or wipe it. */
export interface NativeTypesense {
  /** `http://127.0.0.1:<port>`; the same after a restart. */
  readonly url: string
  readonly apiKey: string
  /** Sends SIGKILL; resolves once the process is gone. The data stay. */
  kill(): Promise<void>
  /**
   * Starts it again on the same port and data; resolves once it is healthy, which may be before its log is
   * replayed.
   */
  start(): Promise<void>
  /** Sends SIGSTOP: connections are accepted but not answered. @returns a function that lets it continue */
  freeze(): Promise<() => void>
  /**
   * Makes it refuse every write ("Skipping writes.", 422), as operators do for maintenance, or accept them
   * again.
   */
  skipWrites(on: boolean): Promise<void>
  /** Deletes all its data. The server must be down. */
  wipe(): void
  /** Stops it and removes its folder. */
  stop(): Promise<void>
}

/**
 * The environment variable with the path of a `typesense-server`. With it, suites and long runs use the real
 * server.
 */
export const NATIVE_TYPESENSE = 'DAYBOOK_TYPESENSE_SERVER'

/** The first election alone takes three seconds. */
const START_TIMEOUT_MS = 60_000
const API_KEY = 'a-key-for-tests'

/**
 * The server program that `DAYBOOK_TYPESENSE_SERVER` names; null if it is not set.
 * @throws Error if the file does not exist: a run meant for the real server must not use the double
 */
export function nativeTypesenseProgram(): string | null {
  const { [NATIVE_TYPESENSE]: program = '' } = process.env
  if (program === '') return null
  if (!existsSync(program)) throw new Error(`${NATIVE_TYPESENSE} names ${program}, and there is no such file`)
  return program
}

/**
 * Starts a real server with empty data.
 * @throws Error if `DAYBOOK_TYPESENSE_SERVER` is not set, or the server is not healthy within a minute
 */
export async function startNativeTypesense(): Promise<NativeTypesense> {
  const program = nativeTypesenseProgram()
  if (program === null)
    throw new Error(
      `There is no Typesense to start: set ${NATIVE_TYPESENSE} to the path of a typesense-server`,
    )
  const folder = mkdtempSync(join(tmpdir(), 'daybook-typesense-'))
  const data = join(folder, 'data')
  const [port, peering] = [await freePort(), await freePort()]
  const url = `http://127.0.0.1:${port}`
  const command = [
    program,
    `--data-dir=${data}`,
    `--api-key=${API_KEY}`,
    '--api-address=127.0.0.1',
    `--api-port=${port}`,
    '--peering-address=127.0.0.1',
    `--peering-port=${peering}`,
  ]
  let server: KeptProcess | undefined

  const start = async () => {
    mkdirSync(data, { recursive: true })
    server = startKept(command, { folder, signal: 'KILL' })
    const deadline = Date.now() + START_TIMEOUT_MS
    while (!(await isHealthy(url))) {
      if (server.hasEnded() || Date.now() > deadline) {
        await server.stop()
        throw new Error(`typesense-server for the tests did not start:\n${server.log()}`)
      }
      await pause(50)
    }
  }
  const running = async () => {
    if (server === undefined || server.hasEnded()) throw new Error('typesense-server for the tests has ended')
    return server.pid
  }

  await start()
  return {
    url,
    apiKey: API_KEY,
    start,
    async kill() {
      process.kill(await running(), 'SIGKILL')
      while (server?.hasEnded() === false) await pause(5)
    },
    async freeze() {
      const pid = await running()
      process.kill(pid, 'SIGSTOP')
      return () => void process.kill(pid, 'SIGCONT')
    },
    async skipWrites(on) {
      const answer = await fetch(`${url}/config`, {
        method: 'POST',
        headers: { 'x-typesense-api-key': API_KEY },
        body: JSON.stringify({ 'skip-writes': on }),
      })
      if (!answer.ok) throw new Error(`skip-writes was answered ${answer.status}: ${await answer.text()}`)
    },
    wipe: () => rmSync(data, { recursive: true, force: true }),
    async stop() {
      await server?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function isHealthy(url: string): Promise<boolean> {
  try {
    const answer = await fetch(`${url}/health`, { signal: AbortSignal.timeout(1_000) })
    return answer.ok && ((await answer.json()) as { ok?: unknown }).ok === true
  } catch {
    return false
  }
}
