import { DaybookError } from '@daybook/memory/errors'
import { watchCompatibility } from '@daybook/postgres/compatibility'
import {
  type Database,
  type DatabaseAddress,
  EMBEDDED_LOGIN,
  openDatabase,
  serverAddress,
} from '@daybook/postgres/connect'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '@daybook/postgres/embedded/start'
import { cancelLongStatements } from '@daybook/postgres/end-statements'
import { isReachable, migrate } from '@daybook/postgres/migrate'
import { releaseLeases } from '@daybook/postgres/release-leases'
import type { Config } from '@daybook/runtime/config'
import { withTimeout } from '@daybook/runtime/with-timeout'
import type { ProcessParts } from './process-parts.ts'

/** What only the owner of the tables may do, done after the migrations and before anybody works as the application. */
export type OwnersWork<T> = (owner: Database) => Promise<T>

/** A database as the application, and what came of the owner's work. */
export interface OpenedDatabase<T> {
  readonly db: Database
  readonly done: T
}

const nothing: OwnersWork<void> = () => Promise.resolve()

/**
 * The Postgres server of `DATABASE_URL`, migrated: as the user of `DAYBOOK_OWNER_URL` where that is set, so that the services'
 * own user need not own anything.
 * @throws DaybookError CONFIGURATION where it is not set
 */
export async function openDatabaseServer(config: Config, parts: ProcessParts): Promise<Database> {
  return (await openDatabaseServerAfter(nothing, config, parts)).db
}

/** As `openDatabaseServer`. */
export async function openDatabaseServerAfter<T>(
  work: OwnersWork<T>,
  config: Config,
  parts: ProcessParts,
): Promise<OpenedDatabase<T>> {
  if (config.databaseUrl === undefined)
    throw new DaybookError(
      'CONFIGURATION',
      'DATABASE_URL is not set. A service of its own needs a Postgres server that the others use too; `npm start` runs all of them in one process on the embedded database.',
    )
  parts.progress('Using the Postgres of DATABASE_URL')
  const address = serverAddress(config.databaseUrl)
  if (config.ownerUrl === undefined)
    return open({ address, owner: address, login: null, work }, config, parts)
  const { username } = new URL(config.databaseUrl)
  return open(
    { address, owner: serverAddress(config.ownerUrl), login: decodeURIComponent(username) || null, work },
    config,
    parts,
  )
}

/** The embedded Postgres in the data folder, migrated. The folder must be this process's own. */
export async function openEmbeddedDatabase<T>(
  work: OwnersWork<T>,
  config: Config,
  parts: ProcessParts,
): Promise<OpenedDatabase<T> & { embedded: EmbeddedDatabase }> {
  parts.progress(`Starting the embedded database in ${config.dataDir}`)
  const embedded = await startEmbeddedDatabase(config.dataDir, parts.logger)
  let db: Database | undefined
  parts.shutdown.add(embedded.stop, {
    part: 'the embedded database',
    // It does one thing at a time, and nothing but its end ends a long statement. What is committed stays.
    async hurry() {
      if (db === undefined || !(await answers(db))) embedded.kill()
    },
    cut: embedded.kill,
  })
  const { address } = embedded
  const opened = await open({ address, owner: address, login: EMBEDDED_LOGIN, work }, config, parts)
  db = opened.db
  // Whoever had taken something here is dead, as the folder is ours: a stop that was cut short gives nothing back.
  await releaseLeases(db)
  return { ...opened, embedded }
}

interface Opening<T> {
  readonly address: DatabaseAddress
  /** The same database as its owner. */
  readonly owner: DatabaseAddress
  /** Who works as the application; null: the owner. */
  readonly login: string | null
  readonly work: OwnersWork<T>
}

async function open<T>(
  { address, owner, login, work }: Opening<T>,
  { longStatementTimeoutMs }: Config,
  { logger, progress, shutdown, activity }: ProcessParts,
): Promise<OpenedDatabase<T>> {
  const applied = await migrate(owner, login)
  if (applied.length > 0) progress(`Prepared the database (${applied.join(', ')})`)
  const done = await asOwner(owner, work)
  const db = openDatabase(address, {
    login: address.ownSessions ? null : login,
    timeoutMs: longStatementTimeoutMs,
    onConnectionError: (error) =>
      logger.warn({ error }, 'a database connection broke; a new one is made when needed'),
  })
  shutdown.add(() => db.destroy(), {
    part: 'the database',
    ...(address.ownSessions && { hurry: () => cancelLongStatements(db, address) }),
  })
  // After the database, as what is added last is stopped first.
  shutdown.add(watchCompatibility(db, logger, activity).stop)
  return { db, done }
}

async function asOwner<T>(address: DatabaseAddress, work: OwnersWork<T>): Promise<T> {
  const owner = openDatabase({ ...address, maxConnections: 1 }, { role: null })
  return work(owner).finally(() => owner.destroy())
}

/** Longest that a statement of ours takes which is not worth waiting for at the end, in milliseconds. */
const ANSWER_MS = 1_000

const answers = (db: Database): Promise<boolean> => withTimeout(ANSWER_MS, isReachable(db)).catch(() => false)
