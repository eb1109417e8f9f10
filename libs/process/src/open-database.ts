import { DaybookError } from '@daybook/memory/errors'
import { checkApplicationRole } from '@daybook/postgres/check-application-role'
import { watchCompatibility } from '@daybook/postgres/compatibility'
import {
  type Database,
  type DatabaseAddress,
  EMBEDDED_LOGIN,
  findPooler,
  openDatabase,
  serverAddress,
} from '@daybook/postgres/connect'
import { clearFreeSpace, maintainTables } from '@daybook/postgres/embedded/maintain-tables'
import { type EmbeddedDatabase, startEmbeddedDatabase } from '@daybook/postgres/embedded/start'
import { endStatements } from '@daybook/postgres/end-statements'
import { damageOf } from '@daybook/postgres/errors'
import { releaseLeases } from '@daybook/postgres/lease'
import { isReachable, migrate } from '@daybook/postgres/migrate'
import type { Config } from '@daybook/runtime/config'
import type { Logger } from '@daybook/runtime/logger'
import { type Loop, startLoop } from '@daybook/runtime/loop'
import { withTimeout } from '@daybook/runtime/timers'
import { createDamageRepair } from './repair-damage.ts'
import type { ProcessParts } from './run-process.ts'

/**
 * Work that only the owner of the tables may do. It runs after the migrations and before anything works as
 * the application.
 */
export type OwnersWork<T> = (owner: Database) => Promise<T>

/** A database as the application sees it, and the result of the owner's work. */
export interface OpenedDatabase<T> {
  readonly db: Database
  readonly done: T
}

const nothing: OwnersWork<void> = () => Promise.resolve()

/**
 * Opens the Postgres server of `DATABASE_URL`, migrated. If `DAYBOOK_OWNER_URL` is set, its user migrates, so
 * that the services' own user need not own anything.
 * @throws DaybookError CONFIGURATION if `DATABASE_URL` is not set
 */
export async function openDatabaseServer(config: Config, parts: ProcessParts): Promise<Database> {
  return (await openDatabaseServerAfter(nothing, config, parts)).db
}

/** As `openDatabaseServer`, with work for the owner. */
export async function openDatabaseServerAfter<T>(
  work: OwnersWork<T>,
  config: Config,
  parts: ProcessParts,
): Promise<OpenedDatabase<T>> {
  if (config.databaseUrl === undefined)
    throw new DaybookError(
      'CONFIGURATION',
      'DATABASE_URL is not set. A separate service needs a Postgres server that it shares with the others; `npm start` runs all of them in one process on the embedded database.',
    )
  parts.progress('Using the Postgres of DATABASE_URL')
  const address = await findPooler(serverAddress(config.databaseUrl))
  if (address.pooled) parts.progress('A pooler is in front of it: settings are those of each transaction')
  if (config.ownerUrl === undefined)
    return open({ address, owner: address, login: null, work }, config, parts)
  const { username } = new URL(config.databaseUrl)
  return open(
    {
      address,
      owner: await findPooler(serverAddress(config.ownerUrl)),
      login: decodeURIComponent(username) || null,
      work,
    },
    config,
    parts,
  )
}

/** Opens the embedded Postgres in the data folder, migrated. No other process may use the folder. */
export async function openEmbeddedDatabase<T>(
  work: OwnersWork<T>,
  config: Config,
  parts: ProcessParts,
): Promise<OpenedDatabase<T> & { embedded: EmbeddedDatabase }> {
  parts.progress(`Starting the embedded database in ${config.dataDir}`)
  const embedded = await startEmbeddedDatabase(config.dataDir, parts.logger, config)
  let db: Database | undefined
  parts.shutdown.add(embedded.stop, {
    part: 'the embedded database',
    // It does one thing at a time, and only killing it ends a long statement. Committed rows stay.
    async hurry() {
      if (db === undefined || !(await answers(db))) embedded.kill()
    },
    cut: embedded.kill,
  })
  const { address } = embedded
  const opened = await open({ address, owner: address, login: EMBEDDED_LOGIN, work }, config, parts)
  db = opened.db
  // The folder is ours, so every lease is from a dead process: a stop that was cut short releases nothing.
  await releaseLeases(db)
  parts.shutdown.add(maintain(db, parts).stop)
  return { ...opened, embedded }
}

/** Milliseconds between two looks at the embedded database's tables. A look takes 10 ms. */
const MAINTAIN_EVERY_MS = 15_000

/** Does for the embedded database what autovacuum and the checkpointer do on a server. */
const maintain = (db: Database, { logger, activity }: ProcessParts): Loop =>
  startLoop(
    async () => {
      const { analyzed, vacuumed, checkpointed } = await maintainTables(db)
      if (analyzed.length > 0 || vacuumed !== null || checkpointed)
        logger.debug({ analyzed, vacuumed, checkpointed }, 'maintained the embedded database')
      const { cleared, left } = await clearFreeSpace(db)
      if (cleared.length > 0)
        logger.info({ tables: cleared.length }, 'cleared the free space of erased texts')
      if (left.length > 0)
        logger.warn(
          { tables: left },
          'erased texts may stay in the free space of large tables until it is written over: to be sure, export the journal into a new data folder',
        )
    },
    {
      everyMs: MAINTAIN_EVERY_MS,
      activity,
      later: true,
      onError: (error) => logger.warn({ error }, 'the embedded database could not be maintained'),
    },
  )

interface Opening<T> {
  readonly address: DatabaseAddress
  /** The same database, as its owner. */
  readonly owner: DatabaseAddress
  /** The role that works as the application; null: the owner. */
  readonly login: string | null
  readonly work: OwnersWork<T>
}

async function open<T>(
  { address, owner, login, work }: Opening<T>,
  { longStatementTimeoutMs }: Config,
  { logger, progress, shutdown, activity }: ProcessParts,
): Promise<OpenedDatabase<T>> {
  const onDamaged = (error: unknown) => afterDamage(owner, logger, error)
  const applied = await migrate(owner, login).catch(onDamaged)
  if (applied.length > 0) progress(`Prepared the database (${applied.join(', ')})`)
  const done = await asOwner(owner, work).catch(onDamaged)
  const damage = createDamageRepair(() => db, logger)
  const db = openDatabase(address, {
    login: address.ownSessions ? null : login,
    timeoutMs: longStatementTimeoutMs,
    onConnectionError: (error) =>
      logger.warn({ error }, 'a database connection broke; a new one is made when needed'),
    onDamage: damage.found,
  })
  shutdown.add(() => db.destroy(), {
    part: 'the database',
    ...(address.ownSessions && { hurry: () => endStatements(db, address) }),
  })
  shutdown.add(damage.stop)
  await checkApplicationRole(db)
  // Added after the database, because the last part added is stopped first.
  shutdown.add(watchCompatibility(db, logger, activity).stop)
  return { db, done }
}

async function asOwner<T>(address: DatabaseAddress, work: OwnersWork<T>): Promise<T> {
  const owner = openDatabase({ ...address, maxConnections: 1 }, { role: null })
  return work(owner).finally(() => owner.destroy())
}

/** Repairs what it can of the damage that stopped an owner's work, for the next start. @throws the error */
async function afterDamage(owner: DatabaseAddress, logger: Logger, error: unknown): Promise<never> {
  const damage = damageOf(error)
  if (damage !== null)
    await asOwner(owner, (db) => {
      const repair = createDamageRepair(() => db, logger)
      repair.found(damage)
      return repair.stop()
    })
  throw error
}

/** How long a small statement may take at the end, in milliseconds, before a long one must be blocking it. */
const ANSWER_MS = 1_000

const answers = (db: Database): Promise<boolean> => withTimeout(ANSWER_MS, isReachable(db)).catch(() => false)
