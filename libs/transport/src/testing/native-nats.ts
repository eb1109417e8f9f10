import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pause } from '@daybook/runtime/backoff'
import { freePort } from '@daybook/runtime/testing/free-port'
import { type KeptProcess, startKept } from '@daybook/runtime/testing/kept-process'
import { isBare, ofServer } from '@daybook/runtime/testing/needs'

/** A NATS server with JetStream for one test, which may treat it as badly as it likes. */
export interface NativeNats {
  readonly url: string
  /** Where it keeps its files. */
  readonly folder: string
  /** Kills it with signal 9; resolves once it is gone. Its store stays. */
  kill(): Promise<void>
  /** Suspends it, like a machine that hangs. @returns a function that resumes it */
  freeze(): Promise<() => void>
  /** Starts it again on the same port and store; resolves once it answers. */
  start(): Promise<void>
  /** Removes everything that JetStream stored. The server must be down. */
  wipe(): void
  /** Ends it and removes its folder. */
  stop(): Promise<void>
}

/** Only a server that hangs takes so long. */
const START_TIMEOUT_MS = 240_000

/** The server program: Debian keeps it in a folder that an ordinary user's PATH may lack. */
function findServer(): string | null {
  if (isBare()) return null
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/bin']
  return folders.map((folder) => join(folder, 'nats-server')).find((file) => existsSync(file)) ?? null
}

/** For suites that start servers of their own. */
export const OWN_NATS = ofServer(
  'NATS servers that are killed',
  findServer() === null ? 'no nats-server is installed here' : null,
)

/** Starts a server in a temporary folder. @param settings more arguments for nats-server */
export async function startNativeNats(settings: readonly string[] = []): Promise<NativeNats> {
  const program = findServer()
  if (program === null) throw new Error('There is no nats-server here: run infra/debian/install')
  const folder = mkdtempSync(join(tmpdir(), 'daybook-nats-'))
  const store = join(folder, 'store')
  const port = await freePort()
  const address = ['--addr', '127.0.0.1', '--port', String(port)]
  let server: KeptProcess | undefined

  const start = async () => {
    server = startKept([program, '--jetstream', '--store_dir', store, ...address, ...settings], {
      folder,
      signal: 'TERM',
    })
    await untilItAnswers(port, server)
  }

  await start()
  return {
    url: `nats://127.0.0.1:${port}`,
    folder,
    start,
    async kill() {
      if (server === undefined || server.hasEnded()) return
      process.kill(await server.pid, 'SIGKILL')
      while (!server.hasEnded()) await pause(5)
    },
    async freeze() {
      const pid = (await server?.pid) ?? 0
      process.kill(pid, 'SIGSTOP')
      return () => void process.kill(pid, 'SIGCONT')
    },
    wipe: () => rmSync(store, { recursive: true, force: true }),
    async stop() {
      await server?.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function untilItAnswers(port: number, server: KeptProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  while (!(await greets(port))) {
    if (server.hasEnded() || Date.now() > deadline)
      throw new Error(`nats-server for the tests did not start:\n${server.log()}`)
    await pause(20)
  }
}

/** A NATS server speaks first: a line INFO, which says whether JetStream is on. */
function greets(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('data', (data) => {
      socket.destroy()
      resolve(data.toString().includes('"jetstream":true'))
    })
    socket.once('error', () => resolve(false))
  })
}
