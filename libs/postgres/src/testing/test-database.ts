import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId } from '@daybook/memory/id'
import { silentLogger } from '@daybook/runtime/logger'
import { ensureProject } from '../access/projects.ts'
import { type Database, type DatabaseAddress, openDatabase } from '../connect.ts'
import { startEmbeddedDatabase } from '../embedded/start.ts'
import { migrate } from '../migrate.ts'
import { type ProjectScope, projectScope } from '../project-scope.ts'

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
  const embedded = await startEmbeddedDatabase(dataDir, silentLogger)
  return openTestDatabase(embedded.address, async () => {
    await embedded.stop()
    rmSync(dataDir, { recursive: true, force: true })
  })
}

/**
 * The databases that suites run on, each a contract suite's parameter:
 * `describe.each(TEST_DATABASES)('the journal on $name', ({ start }) => …)`
 */
export const TEST_DATABASES: readonly TestDatabaseKind[] = [{ name: 'embedded PGlite', start: startEmbedded }]
