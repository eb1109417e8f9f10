import { newId } from '@daybook/memory/id'
import { pause } from '@daybook/runtime/backoff'
import { isBare, type Need, ofServer } from '@daybook/runtime/testing/needs'
import { Client } from 'pg'
import { ensureProject } from '../access/projects.ts'
import { type Database, type DatabaseAddress, openDatabase, serverAddress } from '../connect.ts'
import { prepareDatabase } from '../prepare.ts'
import { type ProjectScope, projectScope } from '../project-scope.ts'
import { borrowEmbedded } from './borrow-embedded.ts'
import { whyNone } from './native-binaries.ts'

/** A migrated database for one test file. */
export interface TestDatabase {
  readonly address: DatabaseAddress
  readonly db: Database
  /** A new project: tests share a database, but never a project. */
  newProject(): Promise<ProjectScope>
  /**
   * Takes the database away in the middle of its work: the embedded one is killed with signal 9 and restarted
   * by its watcher, the native one loses its sessions and refuses new ones.
   * @returns a function that brings it back
   */
  outage(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

/** A kind of database that suites run on. */
export interface TestDatabaseKind {
  readonly name: string
  /** Whether transactions can run side by side. The embedded database has one session, so it has no races. */
  readonly severalSessions: boolean
  start(): Promise<TestDatabase>
}

async function openTestDatabase(
  address: DatabaseAddress,
  outage: TestDatabase['outage'],
  onStop: () => Promise<void>,
): Promise<TestDatabase> {
  const db = openDatabase(address)
  return {
    address,
    db,
    outage,
    newProject: async () => projectScope(db, await ensureProject(db, `test-${newId()}`)),
    async stop() {
      await db.destroy()
      await onStop()
    },
  }
}

async function startEmbedded(): Promise<TestDatabase> {
  const borrowed = await borrowEmbedded()
  const outage = async () => {
    const killed = await borrowed.pid()
    if (killed !== null) process.kill(killed, 'SIGKILL')
    return async () => {
      for (;;) {
        const pid = await borrowed.pid()
        if (pid !== null && pid !== killed) return
        await pause(20)
      }
    }
  }
  return openTestDatabase(borrowed.address, outage, borrowed.giveBack)
}

/** Set by `global-setup.ts` or by the person who runs the tests; see there. */
export const TEST_DATABASE_URL = 'DAYBOOK_TEST_DATABASE_URL'

/** The name of a migrated database on that server to copy: 60 ms instead of a second. Set there, too. */
export const TEST_DATABASE_TEMPLATE = 'DAYBOOK_TEST_DATABASE_TEMPLATE'

/** A separate database on the native server. */
export interface NativeDatabase {
  readonly name: string
  /** Its address as a superuser. */
  readonly url: string
  /** Runs a statement in the server's maintenance database, as a superuser. */
  maintain(statement: string): Promise<void>
  drop(): Promise<void>
}

/** Makes a database. @param template the database to copy; default: none, for an empty one */
export async function createNativeDatabase(template?: string): Promise<NativeDatabase> {
  const server = process.env[TEST_DATABASE_URL]
  if (server === undefined) throw new Error(`${TEST_DATABASE_URL} is not set`)
  const maintain = async (statement: string) => {
    const client = new Client({ connectionString: server })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  const name = `daybook_test_${newId().replaceAll('-', '')}`
  await maintain(`create database ${name}${template === undefined ? '' : ` template ${template}`}`)
  const url = new URL(server)
  url.pathname = name
  return { name, url: url.href, maintain, drop: () => maintain(`drop database ${name} with (force)`) }
}

async function startNative(): Promise<TestDatabase> {
  const { name, url, maintain, drop } = await createNativeDatabase(process.env[TEST_DATABASE_TEMPLATE])
  const outage = async () => {
    await maintain(`alter database ${name} allow_connections false`)
    // Waits until each session has ended: one that ends later would break what a test does next.
    await maintain(`select pg_terminate_backend(pid, 240000) from pg_stat_activity where datname = '${name}'`)
    return () => maintain(`alter database ${name} allow_connections true`)
  }
  // Rights on the database itself are not copied.
  await prepareDatabase(serverAddress(url))
  return openTestDatabase(serverAddress(url), outage, drop)
}

const hasNative = !isBare() && Boolean(process.env[TEST_DATABASE_URL])

/** For suites of `NATIVE_DATABASE` alone. */
export const POSTGRES = ofServer(
  'native Postgres',
  hasNative ? null : (whyNone() ?? 'the run has started none'),
)

/** The embedded database. */
export const EMBEDDED_DATABASE: TestDatabaseKind = {
  name: 'embedded PGlite',
  severalSessions: false,
  start: startEmbedded,
}

/** The native one, whether there is one or not: suites of it are `needing(POSTGRES)`. */
export const NATIVE_DATABASE: TestDatabaseKind = {
  name: 'native Postgres',
  severalSessions: true,
  start: startNative,
}

/**
 * The databases that suites of the libs run on, as the parameter of each contract suite:
 * `describe.each(TEST_DATABASES)('the journal on $name', ({ start }) => …)`. The native one is left out where there is none.
 */
export const TEST_DATABASES: readonly TestDatabaseKind[] = [
  EMBEDDED_DATABASE,
  ...(hasNative ? [NATIVE_DATABASE] : []),
]

/** `all` runs the suites of services on every database too: `npm run test:databases`. */
export const SERVICES_ON = 'DAYBOOK_TEST_SERVICES_ON'

/**
 * The databases that suites of services run on: the native one, or the embedded one where there is no other. All SQL is tested on
 * both where it is, in the libs and in `test/src/rows`; and the tests of whole daemons, of the CLI and of the console
 * run on the embedded one.
 */
export const SERVICE_DATABASES =
  process.env[SERVICES_ON] === 'all' ? TEST_DATABASES : TEST_DATABASES.slice(-1)

/**
 * The database beside which suites run on engines of their own, such as Typesense: a server, as where they are used. Empty where there is
 * none; then an engine's own suites still run, on the embedded one.
 */
export const DATABASES_BESIDE_ENGINES = hasNative ? [NATIVE_DATABASE] : []

/** Why they are left out where they are. */
export const BESIDE_ENGINES: Need = {
  ...POSTGRES,
  name: 'other engines beside Postgres, with native Postgres',
}
