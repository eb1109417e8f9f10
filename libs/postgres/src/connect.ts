import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type Transaction,
} from 'kysely'
import { Client, type ClientConfig, type CustomTypesConfig, Pool, types as pgTypes } from 'pg'
import { ALL_PROJECTS, boundDriver, type SharedConnections, shareConnections } from './bound-driver.ts'
import { PreparingClient } from './preparing-client.ts'
import type { Tables } from './tables.ts'

/** The handle that queries are made through. Inside a transaction use only its own handle: see `openDatabase`. */
export type Database = Kysely<Tables>
export type DatabaseTransaction = Transaction<Tables>
/** Either of both: for functions that may be part of a larger transaction. */
export type Queryable = Database | DatabaseTransaction

/** The role that everything but migrations works as: neither a superuser nor an owner of tables. */
export const APPLICATION_ROLE = 'daybook_app'

/** The role that owns the generations of the read model, and nothing else: what makes and drops them works as it. */
export const INDEXER_ROLE = 'daybook_indexer'

/** Who the embedded database's session becomes once the owner's work is done: it may become the two roles above, and no owner. */
export const EMBEDDED_LOGIN = 'daybook_login'

/** Where a database is and how many connections it takes. */
export interface DatabaseAddress {
  readonly connection: ClientConfig
  /** The embedded database has one session behind its socket, so one connection; more would mix their messages. */
  readonly maxConnections: number
  /** Whether each connection has a session of its own, which can keep what was prepared. */
  readonly ownSessions: boolean
}

/** The address of a Postgres given by `DATABASE_URL`. */
export function serverAddress(url: string, maxConnections = 10): DatabaseAddress {
  return { connection: { connectionString: url }, maxConnections, ownSessions: true }
}

const INT8 = 20
const TIMESTAMPTZ = 1184

/** int8 as a number (sequences stay far below 2^53) and timestamptz as RFC 3339 in UTC; the rest as pg does. */
const types: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return (value: string) => Number(value)
    if (oid === TIMESTAMPTZ) return (value: string) => new Date(value).toISOString()
    return pgTypes.getTypeParser(oid, format as 'text')
  },
} as CustomTypesConfig

/**
 * The same settings on every session, so that no query has to set any: the tables' schema, UTC, and for vector
 * searches ef_search 100 with iterative scans, without which a filter leaves too few rows or none.
 */
function sessionSettings(role: string | null, login: string | null): string {
  return [
    'set search_path = daybook, public',
    `set timezone = 'UTC'`,
    // Loads the extension first, so that its settings are known.
    `select '[1]'::vector`,
    'set hnsw.ef_search = 100',
    `set hnsw.iterative_scan = 'relaxed_order'`,
    ...(login === null ? [] : [`set session authorization ${login}`]),
    // The embedded database has one session for all connections in turn: what the last one was must not stay.
    role === null ? 'reset role' : `set role ${role}`,
  ].join('; ')
}

/**
 * Opens a database that `migrate` has prepared, to work for all projects: `projectScope` binds it to one. With one connection
 * (the embedded database), using the outer handle inside a transaction waits for itself for ever.
 *
 * @param login of the embedded database, whose session begins as its superuser: who it becomes instead, so that `reset role` does
 *   not lead back to the owner
 * @param timeoutMs longest that a statement may take, as `withTimeout` says. Default: any time
 * @param onConnectionError hears of connections that break; queries report their own errors to their callers.
 */
export function openDatabase(
  address: DatabaseAddress,
  {
    role = APPLICATION_ROLE as string | null,
    login = null as string | null,
    timeoutMs = 0,
    onConnectionError = ((): void => {}) as (error: Error) => void,
  } = {},
): Database {
  const pool = new Pool({
    ...address.connection,
    types,
    Client: address.ownSessions ? PreparingClient : Client,
    max: address.maxConnections,
    connectionTimeoutMillis: 30_000,
    // Nobody else wants the only connection to the embedded database; a new one is prepared anew.
    idleTimeoutMillis: address.ownSessions ? 10_000 : 0,
    application_name: 'daybook',
    // Runs once on each new connection before its first query; a failure gives the connection back and is the query's.
    verify: (client, done) => {
      client.query(sessionSettings(role, login), (error) => done(error ?? undefined))
    },
  })
  pool.on('error', onConnectionError)
  // The pool listens to idle clients only. One that breaks while it is checked out fails its query and besides emits
  // 'error', which would end the process if nobody listened.
  pool.on('connect', (client) => client.on('error', onConnectionError))
  return handle({ connections: shareConnections(pool), project: ALL_PROJECTS, timeoutMs })
}

interface Handle {
  readonly connections: SharedConnections
  readonly project: string
  readonly timeoutMs: number
  /** Works although the process is refused. Default no. */
  readonly always?: boolean
}

const handles = new WeakMap<object, Handle>()

/** The server's process ids of the sessions that somebody works with now. */
export function sessionsOf(db: Database): number[] {
  const lent = handles.get(db)?.connections.lent ?? []
  return Array.from(lent, (client) => (client as { readonly processID?: number }).processID ?? 0).filter(
    (pid) => pid > 0,
  )
}

function handle(made: Handle): Database {
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () => boundDriver(made.connections, made.project, made.timeoutMs, made.always !== true),
      createIntrospector: (any) => new PostgresIntrospector(any),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  handles.set(db, made)
  return db
}

/**
 * The same database as one project may see it: row level security leaves the rows of others out, whatever a query says. A
 * transaction keeps the binding with which it began.
 *
 * @throws RangeError where `projectId` is no id
 */
export function bindToProject(db: Queryable, projectId: string): Database {
  const bound = handles.get(db)
  if (bound !== undefined) return handle({ ...bound, project: projectId })
  if (db.isTransaction) return db
  throw new Error('only a database that openDatabase opened can be bound to a project')
}

/**
 * The same database for work of another length: a statement that takes longer is ended by the server with an error that
 * `isStatementTimeout` knows. What is bound to a project from it keeps the timeout. The embedded database runs each statement to its
 * end, as PGlite has no timers.
 * @param timeoutMs in milliseconds; 0: any time
 */
export function withTimeout(db: Database, timeoutMs: number): Database {
  const bound = handles.get(db)
  if (bound === undefined) throw new Error('only a database that openDatabase opened can be given a timeout')
  return handle({ ...bound, timeoutMs })
}

/** From now on every query of this process to this database fails with `refusal`, through whichever handle; null: they may go on. */
export function refuseQueries(db: Database, refusal: Error | null): void {
  opened(db).connections.refusal = refusal
}

/** What queries are refused with now; null where they are not. */
export const refusalOf = (db: Database): Error | null => opened(db).connections.refusal

/** The same database for what must be asked even while queries are refused. */
export const evenIfRefused = (db: Database): Database => handle({ ...opened(db), always: true })

function opened(db: Database): Handle {
  const found = handles.get(db)
  if (found === undefined) throw new Error('this is no database that openDatabase opened')
  return found
}
