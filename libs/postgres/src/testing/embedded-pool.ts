import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { silentLogger } from '@daybook/runtime/logger'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '../embedded/start.ts'
import type { LentDatabase } from './borrow-embedded.ts'
import { copyMigratedCluster } from './embedded-template.ts'
import { type InitialState, readInitialState, restoreInitialState } from './restore-database.ts'

/** Returned databases that are kept for the next file. Each takes some 250 MB. */
const KEPT = 4

interface PooledDatabase {
  readonly dataDir: string
  readonly embedded: EmbeddedDatabase
  readonly initial: InitialState
}

interface Loan {
  readonly database: PooledDatabase
  /** The process id of its server at the time. */
  readonly pid: number | undefined
}

/*
 * A process that lends migrated embedded databases to the test files of a run. A suite has one for itself. What it wrote is removed when it
 * returns the database, which takes 0.2 s; a new one takes 2 s of CPU time, and runs its first queries uncompiled.
 *
 * A borrower connects to the socket and gets a `LentDatabase` as a line of JSON, and another one for each line that it sends. It returns
 * the database by closing; if it dies, the connection closes as well. The process ends when its parent lets go of it.
 */

const folder = mkdtempSync(join(tmpdir(), 'daybook-pool-'))
const path = join(folder, 'lend.sock')
const idle: PooledDatabase[] = []
const all = new Set<PooledDatabase>()
/** Those that come back at this moment. */
const returning = new Set<Promise<void>>()

let copying: Promise<void> = Promise.resolve()

async function startOne(): Promise<PooledDatabase> {
  const dataDir = mkdtempSync(join(folder, 'database-'))
  // One after the other, so that only the first makes the template.
  copying = copying.catch(() => {}).then(() => copyMigratedCluster(dataDir))
  await copying
  const embedded = await startEmbeddedDatabase(dataDir, silentLogger)
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

async function lend(borrower: Socket): Promise<Loan> {
  const database = await take()
  const { address, pid } = database.embedded
  const tell = () =>
    borrower.write(`${JSON.stringify({ address, pid: pid() ?? null } satisfies LentDatabase)}\n`)
  borrower.on('data', tell)
  tell()
  return { database, pid: pid() }
}

async function takeBack({ database, pid }: Loan): Promise<void> {
  // A test killed it: what a recovered database holds is not for the next file.
  const intact = database.embedded.pid() === pid && idle.length < KEPT
  const { connection } = database.embedded.address
  if (intact && (await restoreInitialState(connection, database.initial).catch(() => false)))
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
