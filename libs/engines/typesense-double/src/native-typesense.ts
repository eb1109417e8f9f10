import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pause } from '@daybook/runtime/backoff'
import { freePort } from '@daybook/runtime/testing/free-port'
import { type KeptProcess, startKept } from '@daybook/runtime/testing/kept-process'

/** A real Typesense server of a test's own, which may be treated as badly as a test likes. */
export interface NativeTypesense {
  /** `http://127.0.0.1:<port>`, the same over restarts. */
  readonly url: string
  readonly apiKey: string
  /** Signal 9; resolves once it is gone. Its data stay. */
  kill(): Promise<void>
  /** Starts it again on the same port and data; resolves once its health is ok, which may be before its log is replayed. */
  start(): Promise<void>
  /** SIGSTOP: connections are taken and not answered. @returns lets it go on */
  freeze(): Promise<() => void>
  /** Whether it refuses every write ("Skipping writes.", 422), as operators make it do for maintenance. */
  skipWrites(on: boolean): Promise<void>
  /** Removes all that it stored. The server must be down. */
  wipe(): void
  /** Ends it and removes its folder. */
  stop(): Promise<void>
}

/** The environment variable with the path of a `typesense-server`, by which suites and long runs use the real server. */
export const NATIVE_TYPESENSE = 'DAYBOOK_TYPESENSE_SERVER'

/** The first election alone takes three seconds. */
const START_TIMEOUT_MS = 60_000
const API_KEY = 'a-key-for-tests'

/**
 * The server program that `DAYBOOK_TYPESENSE_SERVER` names; null where it names none.
 * @throws Error where there is no such file: a run that was to be on the real server must not be on another
 */
export function nativeTypesenseProgram(): string | null {
  const { [NATIVE_TYPESENSE]: program = '' } = process.env
  if (program === '') return null
  if (!existsSync(program)) throw new Error(`${NATIVE_TYPESENSE} names ${program}, and there is no such file`)
  return program
}

/** @throws Error where `DAYBOOK_TYPESENSE_SERVER` names no program, or it does not become healthy within a minute */
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
