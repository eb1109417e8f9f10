import { execFileSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { pause } from '@daybook/runtime/backoff'
import { type KeptProcess, startKept } from '@daybook/runtime/testing/kept-process'
import { Client } from 'pg'

/** A Postgres server for the tests of one run. */
export interface NativeServer {
  /** Of its maintenance database, as a superuser. */
  readonly url: string
  /** Ends it at once, without a checkpoint, as a crash would: the next start recovers. Resolves when it is gone. */
  crash(): Promise<void>
  /** Starts it again after a crash; resolves once it answers. */
  start(): Promise<void>
  /** Ends the server and removes its folder. */
  stop(): Promise<void>
}

/** Why there is no native server to test on; the message is for the person who runs the tests. */
export class NoNativeServerError extends Error {}

const START_TIMEOUT_MS = 30_000

/**
 * Starts the newest Postgres of this machine that has pgvector installed, in a temporary folder, listening on a Unix
 * socket in it and on no port. As root it runs as the system's user `postgres`, since Postgres refuses root.
 * @throws NoNativeServerError where there is none.
 */
export async function startNativeServer(): Promise<NativeServer> {
  const bin = findBinaries()
  const owner = serverUser()
  const folder = mkdtempSync(join(tmpdir(), 'daybook-native-'))
  if (owner !== null) chownSync(folder, owner.uid, owner.gid)
  const data = join(folder, 'data')
  let server: KeptProcess | undefined
  try {
    // A database that is thrown away need not survive a power cut while it is made; afterwards fsync is on as always.
    execFileSync(
      join(bin, 'initdb'),
      ['--no-sync', '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C.UTF-8', data],
      { ...owner, cwd: folder, stdio: 'pipe' },
    )
    const settings = [
      `unix_socket_directories=${folder}`,
      'listen_addresses=',
      'max_connections=200',
      // The usual 128 MB are a fraction of what a large run searches; what is not used costs nothing.
      'shared_buffers=1GB',
    ]
    const command = [join(bin, 'postgres'), '-D', data, ...settings.flatMap((setting) => ['-c', setting])]
    const url = `postgresql://postgres@${encodeURIComponent(folder)}/postgres`
    const start = async () => {
      // SIGINT is Postgres's fast shutdown.
      server = startKept(command, { ...owner, folder, signal: 'INT' })
      await untilItAnswers(url, server)
    }
    await start()
    return {
      url,
      start,
      async crash() {
        if (server === undefined || server.hasEnded()) return
        // Not signal 9: its backends would live on for a moment and keep the next server from starting.
        process.kill(await server.pid, 'SIGQUIT')
        while (!server.hasEnded()) await pause(5)
      },
      async stop() {
        await server?.stop()
        rmSync(folder, { recursive: true, force: true })
      },
    }
  } catch (error) {
    await server?.stop()
    rmSync(folder, { recursive: true, force: true })
    throw error
  }
}

/** Whether this machine has a server to start. The global setup says loudly where not. */
export const HAS_NATIVE_POSTGRES = canStart()

function canStart(): boolean {
  try {
    findBinaries()
    serverUser()
    return true
  } catch (error) {
    if (error instanceof NoNativeServerError) return false
    throw error
  }
}

/** The folder with `initdb` and `postgres`. Debian keeps those off the PATH, one folder a version. */
function findBinaries(): string {
  const debian = '/usr/lib/postgresql'
  const versions = existsSync(debian) ? readdirSync(debian) : []
  const folders = [
    ...versions.toSorted((a, b) => Number(b) - Number(a)).map((version) => join(debian, version, 'bin')),
    ...(process.env.PATH ?? '').split(delimiter),
  ].filter((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
  if (folders.length === 0) throw new NoNativeServerError('no Postgres server is installed here')
  const withPgvector = folders.find(hasPgvector)
  if (withPgvector === undefined)
    throw new NoNativeServerError(`pgvector is not installed for the Postgres in ${folders.join(', ')}`)
  return withPgvector
}

function hasPgvector(bin: string): boolean {
  try {
    const share = execFileSync(join(bin, 'pg_config'), ['--sharedir'], { encoding: 'utf8' }).trim()
    return existsSync(join(share, 'extension', 'vector.control'))
  } catch {
    return false
  }
}

function serverUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null
  const entry = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([name]) => name === 'postgres')
  if (entry === undefined)
    throw new NoNativeServerError('Postgres refuses to run as root, and there is no system user "postgres"')
  return { uid: Number(entry[2]), gid: Number(entry[3]) }
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
