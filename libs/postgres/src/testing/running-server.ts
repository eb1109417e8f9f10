import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { pause } from '@daybook/runtime/backoff'
import { type KeptProcess, startKept } from '@daybook/runtime/testing/kept-process'
import { Client } from 'pg'
import { findBinaries, serverUser } from './native-binaries.ts'

/** A Postgres with its own data folder. It listens on a Unix socket in the folder above, not on a port. */
export interface NativeServer {
  /** Its maintenance database, as a superuser. */
  readonly url: string
  /**
   * Ends it at once without a checkpoint, as a crash would, so that the next start recovers. Resolves when it
   * is gone.
   */
  crash(): Promise<void>
  /** Suspends it and its sessions, like a machine that hangs. @returns a function that resumes them */
  freeze(): Promise<() => void>
  /** Starts it again after a crash; resolves once it answers. */
  start(): Promise<void>
  /** Shuts it down cleanly. Its folder is removed too. */
  stop(): Promise<void>
}

/** Only a server that hangs takes so long. */
const START_TIMEOUT_MS = 240_000

/**
 * Runs a server on `<folder>/data`, which must already be a cluster.
 * @param settings more settings, as `name=value`
 */
export async function runServer(folder: string, settings: readonly string[] = []): Promise<NativeServer> {
  const all = [
    `unix_socket_directories=${folder}`,
    'listen_addresses=',
    'max_connections=200',
    // The default 128 MB are a fraction of what a large run searches; unused buffers cost nothing.
    'shared_buffers=1GB',
    ...settings,
  ]
  const command = [
    join(findBinaries(), 'postgres'),
    '-D',
    join(folder, 'data'),
    ...all.flatMap((setting) => ['-c', setting]),
  ]
  const url = `postgresql://postgres@${encodeURIComponent(folder)}/postgres`
  let server: KeptProcess | undefined
  const start = async () => {
    // SIGINT is Postgres's fast shutdown.
    server = startKept(command, { ...serverUser(), folder, signal: 'INT' })
    await untilItAnswers(url, server)
  }
  const running: NativeServer = {
    url,
    start,
    async crash() {
      if (server === undefined || server.hasEnded()) return
      // Not signal 9: the backends would live on for a moment and keep the next server from starting.
      process.kill(await server.pid, 'SIGQUIT')
      while (!server.hasEnded()) await pause(5)
    },
    async freeze() {
      const pid = await server?.pid
      const sessions = execFileSync('pgrep', ['-P', String(pid)], { encoding: 'utf8' })
        .trim()
        .split('\n')
      const pids = [Number(pid), ...sessions.map(Number)]
      const signal = (name: NodeJS.Signals) => pids.forEach((one) => process.kill(one, name))
      signal('SIGSTOP')
      return () => signal('SIGCONT')
    },
    async stop() {
      await server?.stop()
    },
  }
  try {
    await start()
  } catch (error) {
    await running.stop()
    throw error
  }
  return running
}

async function untilItAnswers(url: string, server: KeptProcess): Promise<void> {
  const deadline = Date.now() + START_TIMEOUT_MS
  for (;;) {
    const client = new Client({ connectionString: url })
    try {
      await client.connect()
      return
    } catch (error) {
      if (server.hasEnded() || Date.now() > deadline)
        throw new Error(`Postgres for the tests did not start:\n${server.log()}`, { cause: error })
      await pause(30)
    } finally {
      await client.end()
    }
  }
}
