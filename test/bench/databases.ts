import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type DatabaseAddress, serverAddress } from '@daybook/postgres/connect'
import { startEmbeddedDatabase } from '@daybook/postgres/embedded/start'
import { migrate } from '@daybook/postgres/migrate'
import { NoNativeServerError } from '@daybook/postgres/testing/native-binaries'
import { startNativeServer } from '@daybook/postgres/testing/native-server'
import { createNativeDatabase, TEST_DATABASE_URL } from '@daybook/postgres/testing/test-database'
import { silentLogger } from '@daybook/runtime/logger'

/** An empty migrated database, without open connections: the embedded one serves one at a time. */
export interface BenchDatabase {
  readonly name: string
  readonly address: DatabaseAddress
  stop(): Promise<void>
}

/** @param fsync whether a commit waits for the disk. Default true */
export async function startEmbedded(fsync = true): Promise<BenchDatabase> {
  const dataDir = mkdtempSync(join(tmpdir(), 'daybook-bench-'))
  const embedded = await startEmbeddedDatabase(dataDir, silentLogger, { fsync })
  await migrate(embedded.address)
  return {
    name: 'embedded PGlite',
    address: embedded.address,
    async stop() {
      await embedded.stop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

/** Starts a server for this run, or creates a database on the one of `DAYBOOK_TEST_DATABASE_URL`. */
async function startNative(): Promise<BenchDatabase> {
  const name = 'native Postgres'
  if (process.env[TEST_DATABASE_URL]) {
    const { url, drop } = await createNativeDatabase()
    await migrate(serverAddress(url))
    return { name, address: serverAddress(url), stop: drop }
  }
  const server = await startNativeServer()
  await migrate(serverAddress(server.url))
  return { name, address: serverAddress(server.url), stop: server.stop }
}

/** Runs the work on each database that this machine has. */
export async function onEachDatabase(work: (database: BenchDatabase) => Promise<void>): Promise<void> {
  await onEmbeddedDatabase(work)
  await onNativeDatabase(work)
}

async function onEmbeddedDatabase(work: (database: BenchDatabase) => Promise<void>): Promise<void> {
  const database = await startEmbedded()
  await work(database).finally(database.stop)
}

/** Runs the work on native Postgres; says so if this machine has none. */
export async function onNativeDatabase(work: (database: BenchDatabase) => Promise<void>): Promise<void> {
  let database: BenchDatabase
  try {
    database = await startNative()
  } catch (error) {
    if (!(error instanceof NoNativeServerError)) throw error
    console.log(`native Postgres: not measured, ${error.message}`)
    return
  }
  await work(database).finally(database.stop)
}
