import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { pause } from '@daybook/runtime/backoff'
import { silentLogger } from '@daybook/runtime/logger'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../embedded/start.ts'
import type { LentDatabase } from './borrow-embedded.ts'
import { copyCluster, ensureMigrated } from './embedded-template.ts'
import { type InitialState, readInitialState, restoreInitialState } from './restore-database.ts'

/** Returned databases that are kept for the next file. Each takes some 250 MB. */
const KEPT = 6

interface PooledDatabase {
  readonly dataDir: string
  readonly embedded: EmbeddedDatabase
  readonly initial: InitialState
}

/*
 * A process that lends migrated embedded databases to the test files of a run. A suite has one for itself. What it wrote is removed when it
 * returns the database, which takes 0.2 s; a new one takes 2 s of CPU time, and runs its first queries uncompiled.
 *
 * Its argument is `migratedTemplate()`, which needs the sources; this runs from a bundle.
 *
 * A borrower connects to the socket and gets a `LentDatabase` as a line of JSON, and another one for each line that it sends. It returns
 * the database by closing; if it dies, the connection closes as well. The process ends when its parent lets go of it.
 */

const [template = ''] = process.argv.slice(2)
await ensureMigrated(template)
const folder = mkdtempSync(join(tmpdir(), 'daybook-pool-'))
const path = join(folder, 'lend.sock')
const idle: PooledDatabase[] = []
const all = new Set<PooledDatabase>()
/** Those that come back at this moment. */
const returning = new Set<Promise<void>>()

async function startOne(): Promise<PooledDatabase> {
  const dataDir = mkdtempSync(join(folder, 'database-'))
  copyCluster(template, dataDir)
  const embedded = await startEmbeddedDatabase(dataDir, silentLogger, { fsync: false })
  const initial = await readInitialState(embedded.address.connection)
  const database = { dataDir, embedded, initial }
  all.add(database)
  return database
}

async function discard(database: PooledDatabase): Promise<void> {
  all.delete(database)
  database.embedded.kill()
  await database.embedded.stop()
  rmSync(database.dataDir, { recursive: true, force: true, maxRetries: 5 })
}

async function take(): Promise<PooledDatabase> {
  for (;;) {
    const database = idle.pop()
    if (database !== undefined) return database
    if (returning.size === 0) return startOne()
    await Promise.race(returning)
  }
}

async function lend(borrower: Socket): Promise<PooledDatabase> {
  const database = await take()
  const { address, pid } = database.embedded
  const tell = () =>
    borrower.write(`${JSON.stringify({ address, pid: pid() ?? null } satisfies LentDatabase)}\n`)
  borrower.on('data', tell)
  tell()
  return database
}

async function takeBack(database: PooledDatabase): Promise<void> {
  // One that a test killed is started again by itself.
  while (database.embedded.pid() === undefined) await pause(20)
  const { connection } = database.embedded.address
  if (idle.length < KEPT && (await restoreInitialState(connection, database.initial).catch(() => false)))
    idle.push(database)
  else await discard(database)
}

const server = createServer((borrower) => {
  borrower.on('error', () => {})
  const lent = lend(borrower)
  lent.catch((error: unknown) => {
    process.stderr.write(`No embedded database for a test file: ${inspect(error)}\n`)
    borrower.destroy()
  })
  borrower.once('close', async () => {
    const loan = await lent.catch(() => null)
    if (loan === null) return
    const back = takeBack(loan).finally(() => returning.delete(back))
    returning.add(back)
  })
})
server.listen(path, () => process.send?.(path))

process.once('disconnect', async () => {
  server.close()
  await Promise.all([...all].map(discard))
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  process.exit()
})
