import { DaybookError } from '@daybook/memory/errors'
import { type Database, type DatabaseAddress, openDatabase, serverAddress } from '@daybook/postgres/connect'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '@daybook/postgres/embedded/start'
import { migrate } from '@daybook/postgres/migrate'
import type { Config } from '@daybook/runtime/config'
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
  parts.stops.add(embedded.stop)
  return { db: await open(embedded.address, parts), embedded }
}

async function open(address: DatabaseAddress, { logger, progress, stops }: ProcessParts): Promise<Database> {
  const applied = await migrate(address)
  if (applied.length > 0) progress(`Prepared the database (${applied.join(', ')})`)
  const db = openDatabase(address, {
    onConnectionError: (error) =>
      logger.warn({ error }, 'a database connection broke; a new one is made when needed'),
  })
  stops.add(() => db.destroy())
  return db
}
