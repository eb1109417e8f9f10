import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@daybook/memory/id'
import { silentLogger } from '@daybook/runtime/logger'
import { Client } from 'pg'
import { ensureProject } from '../access/projects.ts'
import { type Database, type DatabaseAddress, openDatabase, serverAddress } from '../connect.ts'
import { startEmbeddedDatabase } from '../embedded/start.ts'
import { migrate } from '../migrate.ts'
import { type ProjectScope, projectScope } from '../project-scope.ts'
import { copyEmptyCluster } from './embedded-template.ts'

/** A migrated database of a test file's own. */
export interface TestDatabase {
  readonly address: DatabaseAddress
  readonly db: Database
  /** A new project: tests share a database and never a project. */
  newProject(): Promise<ProjectScope>
  stop(): Promise<void>
}

/** A kind of database that suites run on. */
export interface TestDatabaseKind {
  readonly name: string
  /** Whether transactions can run beside each other. The embedded database has one session, so races cannot happen there. */
  readonly severalSessions: boolean
  start(): Promise<TestDatabase>
}

async function openTestDatabase(
  address: DatabaseAddress,
  onStop: () => Promise<void>,
): Promise<TestDatabase> {
  await migrate(address)
  const db = openDatabase(address)
  return {
    address,
    db,
    newProject: async () => projectScope(db, await ensureProject(db, `test-${newId()}`)),
    async stop() {
      await db.destroy()
      await onStop()
    },
  }
}

async function startEmbedded(): Promise<TestDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-test-'))
  await copyEmptyCluster(dataDir)
  const embedded = await startEmbeddedDatabase(dataDir, silentLogger)
  return openTestDatabase(embedded.address, async () => {
    await embedded.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
}

/** Set by `global-setup.ts`, or before by whoever runs the tests: see there. */
export const TEST_DATABASE_URL = 'DAYBOOK_TEST_DATABASE_URL'

/** An empty database of one's own on the native server. `url` is its address as a superuser. */
export async function createNativeDatabase(): Promise<{ url: string; drop(): Promise<void> }> {
  const server = process.env[TEST_DATABASE_URL]
  if (server === undefined) throw new Error(`${TEST_DATABASE_URL} is not set`)
  const maintain = async (statement: string) => {
    const client = new Client({ connectionString: server })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  const name = `daybook_test_${newId().replaceAll('-', '')}`
  await maintain(`create database ${name}`)
  const url = new URL(server)
  url.pathname = name
  return { url: url.href, drop: () => maintain(`drop database ${name} with (force)`) }
}

async function startNative(): Promise<TestDatabase> {
  const { url, drop } = await createNativeDatabase()
  return openTestDatabase(serverAddress(url), drop)
}

/**
 * The databases that suites run on, each a contract suite's parameter:
 * `describe.each(TEST_DATABASES)('the journal on $name', ({ start }) => …)`
 * The native one is left out where there is none (`global-setup.ts` says so).
 */
export const TEST_DATABASES: readonly TestDatabaseKind[] = [
  { name: 'embedded PGlite', severalSessions: false, start: startEmbedded },
  ...(process.env[TEST_DATABASE_URL]
    ? [{ name: 'native Postgres', severalSessions: true, start: startNative }]
    : []),
]
