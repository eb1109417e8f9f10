import {
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type SqlBool,
  sql,
  type Transaction,
} from 'kysely'
import {
  Client,
  type ClientConfig,
  type CustomTypesConfig,
  Pool,
  type PoolConfig,
  types as pgTypes,
} from 'pg'
import {
  ALL_PROJECTS,
  boundDriver,
  type SharedConnections,
  setAll,
  shareConnections,
} from './bound-driver.ts'
import { type DamageError, damageOf } from './errors.ts'
import { PreparingClient } from './preparing-client.ts'
import { createSockets } from './sockets.ts'
import type { Tables } from './tables.ts'

/** The handle for queries. Inside a transaction use only the transaction's own: see `openDatabase`. */
export type Database = Kysely<Tables>

/** The handle of a transaction. */
export type DatabaseTransaction = Transaction<Tables>

/** Either of the two: for functions that may be part of a larger transaction. */
export type Queryable = Database | DatabaseTransaction

/** The role that everything except migrations works as: neither a superuser nor an owner of tables. */
export const APPLICATION_ROLE = 'daybook_app'

/**
 * The role that owns the generations of the read model and nothing else. Code that makes or drops them works
 * as it.
 */
export const INDEXER_ROLE = 'daybook_indexer'

/**
 * The role that the embedded database's session switches to once the owner's work is done. It may become the
 * two roles above, but not the owner.
 */
export const EMBEDDED_LOGIN = 'daybook_login'

/** Where a database is and how many connections it takes. */
export interface DatabaseAddress {
  readonly connection: ClientConfig
  /**
   * The embedded database has one session behind its socket, so it takes one connection. More would mix their
   * messages.
   */
  readonly maxConnections: number
  /** Whether each connection has its own session. The embedded database has one for all, one after the other. */
  readonly ownSessions: boolean
  /**
   * Whether each transaction may run in another session, as behind PgBouncer in transaction mode: see `findPooler`. Then settings
   * are those of a transaction, and statements are not prepared. Default no.
   */
  readonly pooled?: boolean
}

/** The address of the Postgres that `DATABASE_URL` names. */
export function serverAddress(url: string, maxConnections = 10): DatabaseAddress {
  return { connection: { connectionString: url }, maxConnections, ownSessions: true }
}

/**
 * The address with `pooled` as it is: a pooler gives its clients a process id of its own, for cancelling, where a server gives that
 * of the session.
 */
export const findPooler = (address: DatabaseAddress): Promise<DatabaseAddress> =>
  withClient(address.connection, async (client) => {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    return { ...address, pooled: rows[0]?.pid !== (client as { readonly processID?: number }).processID }
  })

/** Works with a connection of its own, which is in no pool and ends afterwards. */
export async function withClient<T>(
  connection: ClientConfig,
  work: (client: Client) => Promise<T>,
): Promise<T> {
  const client = new Client(connection)
  // The query reports a broken connection; without a listener the process would end.
  client.on('error', () => {})
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

const INT8 = 20

const TIMESTAMPTZ = 1184

/**
 * int8 as a number (sequences stay far below 2^53) and timestamptz as RFC 3339 in UTC; everything else as in
 * pg.
 */
const types: CustomTypesConfig = {
  getTypeParser(oid: number, format?: 'text' | 'binary') {
    if (oid === INT8) return (value: string) => Number(value)
    if (oid === TIMESTAMPTZ) return (value: string) => new Date(value).toISOString()
    return pgTypes.getTypeParser(oid, format as 'text')
  },
} as CustomTypesConfig

/**
 * The settings of every session, or behind a pooler of every transaction, so that no query has to set them: the tables' schema, UTC, and for vector
 * searches ef_search 100 with iterative scans. Without iterative scans a filter leaves too few rows or none.
 * Nothing is compiled: a search of 25 ms that the planner thinks expensive would first take 150 ms to compile.
 */
const SETTINGS = [
  'search_path = daybook, public',
  `timezone = 'UTC'`,
  'hnsw.ef_search = 100',
  `hnsw.iterative_scan = 'relaxed_order'`,
  'jit = off',
]

function prepareSession(role: string | null, login: string | null): string {
  return [
    // Loads the extension first, so that its settings exist.
    `select '[1]'::vector`,
    setAll('set', SETTINGS),
    ...(login === null ? [] : [`set session authorization ${login}`]),
    // The embedded database has one session for all connections in turn: the previous one's role must not
    // remain.
    role === null ? 'reset role' : `set role ${role}`,
  ].join('; ')
}

/**
 * Opens a database that `migrate` has prepared, to work for all projects; `projectScope` binds it to one.
 * With one connection (the embedded database), using the outer handle inside a transaction deadlocks.
 *
 * @param login for the embedded database, whose session begins as its superuser: the role it switches to, so
 * that `reset role` does not lead back to the owner
 * @param timeoutMs longest time for a statement, as in `withTimeout`. Default: no limit
 * @param onConnectionError called for connections that break; queries report their own errors to their
 * callers
 * @param onDamage called with each error of a query that found a damaged file, before its caller has it
 */
export function openDatabase(
  address: DatabaseAddress,
  {
    role = APPLICATION_ROLE as string | null,
    login = null as string | null,
    timeoutMs = 0,
    onConnectionError = ((): void => {}) as (error: Error) => void,
    onDamage = ((): void => {}) as (error: DamageError) => void,
  } = {},
): Database {
  const { pooled = false } = address
  const sockets = createSockets()
  const pool = new Pool({
    ...address.connection,
    stream: sockets.open,
    types,
    Client: PreparingClient,
    max: address.maxConnections,
    connectionTimeoutMillis: 30_000,
    // Nobody else wants the embedded database's only connection, and a new one needs its settings again.
    idleTimeoutMillis: address.ownSessions ? 10_000 : 0,
    application_name: 'daybook',
    // Runs once on each new connection before its first query. If it fails, that query fails and the
    // connection is closed.
    verify: (client, done) => {
      if (pooled) return done()
      client.query(prepareSession(role, login), (error) => done(error ?? undefined))
    },
    // Then `begin`, a statement and `commit` are sent together.
    pipeline: pooled,
  } as PoolConfig)
  pool.on('error', onConnectionError)
  // The pool listens only to idle clients. One that breaks while in use fails its query and also emits
  // 'error', which would end the process if nobody listened.
  pool.on('connect', (client) => client.on('error', onConnectionError))
  const atOnce = address.maxConnections > 1
  const perTransaction = pooled ? [...SETTINGS, ...(role === null ? [] : [`role ${role}`])] : null
  const connections = shareConnections(pool, sockets, perTransaction, (error) => {
    const damage = damageOf(error)
    if (damage !== null) onDamage(damage)
  })
  return handle({ connections, project: ALL_PROJECTS, timeoutMs, hasTimers: address.ownSessions, atOnce })
}

interface Handle {
  readonly connections: SharedConnections
  readonly project: string
  readonly timeoutMs: number
  /** Whether the server ends late statements. If not, no session is switched from one time to another for nothing. */
  readonly hasTimers: boolean
  /** Whether several statements run side by side. */
  readonly atOnce: boolean
  /** Works even while queries are refused. Default no. */
  readonly always?: boolean
}

const handles = new WeakMap<object, Handle>()

/** The server's process ids of the sessions in use now; none behind a pooler, which does not tell them. */
export function sessionsOf(db: Database): number[] {
  const { lent, perTransaction } = opened(db).connections
  if (perTransaction !== null) return []
  return Array.from(lent, (client) => (client as { readonly processID?: number }).processID ?? 0).filter(
    (pid) => pid > 0,
  )
}

function handle(made: Handle): Database {
  const db = new Kysely<Tables>({
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createDriver: () =>
        boundDriver(
          made.connections,
          made.project,
          made.hasTimers ? made.timeoutMs : 0,
          made.always !== true,
        ),
      createIntrospector: (any) => new PostgresIntrospector(any),
      createQueryCompiler: () => new PostgresQueryCompiler(),
    },
  })
  handles.set(db, made)
  return db
}

/** Whether several statements of this handle run side by side: not on the embedded database, nor in a transaction. */
export const answersAtOnce = (db: Queryable): boolean => handles.get(db)?.atOnce ?? false

/**
 * The same database as one project may see it: row level security hides the rows of other projects, whatever
 * a query says. A transaction keeps the binding that it began with.
 *
 * @throws RangeError if `projectId` is not an id
 */
export function bindToProject(db: Queryable, projectId: string): Database {
  const bound = handles.get(db)
  if (bound !== undefined) return handle({ ...bound, project: projectId })
  if (db.isTransaction) return db
  throw new Error('only a database that openDatabase opened can be bound to a project')
}

/**
 * The same database with another time limit for statements. The server ends a statement that takes longer,
 * with an error that `isStatementTimeout` recognises. Handles bound to a project from it keep the limit. The
 * embedded database runs each statement to its end: PGlite has no timers.
 * @param timeoutMs in milliseconds; 0: no limit
 */
export function withTimeout(db: Database, timeoutMs: number): Database {
  const bound = handles.get(db)
  if (bound === undefined) throw new Error('only a database that openDatabase opened can be given a timeout')
  return handle({ ...bound, timeoutMs })
}

/**
 * Makes every later query of this process to this database fail with `refusal`, through any handle; null
 * lifts that.
 */
export function refuseQueries(db: Database, refusal: Error | null): void {
  opened(db).connections.refusal = refusal
}

/** Makes what this process asks or has asked this database fail, whether its server answers or not. For the end of a process. */
export function breakConnections(db: Database, refusal: Error): void {
  refuseQueries(db, refusal)
  opened(db).connections.sockets.cut()
}

/** The error that queries are refused with now; null if they are not refused. */
export const refusalOf = (db: Database): Error | null => opened(db).connections.refusal

/** The same database, for queries that must run even while others are refused. */
export const evenIfRefused = (db: Database): Database => handle({ ...opened(db), always: true })

function opened(db: Database): Handle {
  const found = handles.get(db)
  if (found === undefined) throw new Error('this is not a database that openDatabase opened')
  return found
}

/**
 * A condition that is always true. A transaction with it commits without waiting for the disk, which takes 3 ms
 * on an ordinary one (docs/measurements.md#from-a-write-to-findable).
 *
 * Only for what can be made again, such as read models and the relay's position. If the server crashes, it
 * loses the last moments of such commits, but never one before a commit that waited: all are in one log. So
 * the journal still has every acknowledged event, and what is made from it is only further behind.
 *
 * The embedded database has no process that would write such commits out later: they wait for the next commit
 * that syncs. No effect where no commit waits for the disk.
 */
export const commitUnflushed = () => sql<SqlBool>`set_config('synchronous_commit',
  case when current_setting('fsync') = 'on' then 'off' else current_setting('synchronous_commit') end, true) is not null`
