import { DaybookError } from '@daybook/memory/errors'
import { type Database, type DatabaseAddress, openDatabase, serverAddress } from '@daybook/postgres/connect'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '@daybook/postgres/embedded/start'
import { cancelLongStatements } from '@daybook/postgres/end-statements'
import { isReachable, migrate } from '@daybook/postgres/migrate'
import { releaseClaims } from '@daybook/postgres/release-claims'
import type { Config } from '@daybook/runtime/config'
import { within } from '@daybook/runtime/within'
import type { ProcessParts } from './process-parts.ts'

/** The Postgres server of `DATABASE_URL`, migrated. @throws DaybookError CONFIGURATION where it is not set */
export async function openDatabaseServer(config: Config, parts: ProcessParts): Promise<Database> {
  if (config.databaseUrl === undefined)
    throw new DaybookError(
      'CONFIGURATION',
      'DATABASE_URL is not set. A service of its own needs a Postgres server that the others use too; `npm start` runs all of them in one process on the embedded database.',
    )
  parts.progress('Using the Postgres of DATABASE_URL')
  return open(serverAddress(config.databaseUrl), parts)
}

/** The embedded Postgres in the data folder, migrated. The folder must be this process's own. */
export async function openEmbeddedDatabase(
  config: Config,
  parts: ProcessParts,
): Promise<{ db: Database; embedded: EmbeddedDatabase }> {
  parts.progress(`Starting the embedded database in ${config.dataDir}`)
  const embedded = await startEmbeddedDatabase(config.dataDir, parts.logger)
  let db: Database | undefined
  parts.stops.add(embedded.stop, {
    part: 'the embedded database',
    // It does one thing at a time, and nothing but its end ends a long statement. What is committed stays.
    async hurry() {
      if (db === undefined || !(await answers(db))) embedded.kill()
    },
    cut: embedded.kill,
  })
  db = await open(embedded.address, parts)
  // Whoever had taken something here is dead, as the folder is ours: a stop that was cut short gives nothing back.
  await releaseClaims(db)
  return { db, embedded }
}

async function open(address: DatabaseAddress, { logger, progress, stops }: ProcessParts): Promise<Database> {
  const applied = await migrate(address)
  if (applied.length > 0) progress(`Prepared the database (${applied.join(', ')})`)
  const db = openDatabase(address, {
    onConnectionError: (error) =>
      logger.warn({ error }, 'a database connection broke; a new one is made when needed'),
  })
  stops.add(() => db.destroy(), {
    part: 'the database',
    ...(address.ownSessions && { hurry: () => cancelLongStatements(db, address) }),
  })
  return db
}

/** Longest that a statement of ours takes which is not worth waiting for at the end, in milliseconds. */
const ANSWER_MS = 1_000

const answers = (db: Database): Promise<boolean> => within(ANSWER_MS, isReachable(db)).catch(() => false)
