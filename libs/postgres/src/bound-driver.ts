import {
  CompiledQuery,
  type DatabaseConnection,
  type Driver,
  PostgresDriver,
  type QueryResult,
  type TransactionSettings,
} from 'kysely'
import type { Pool, PoolClient } from 'pg'
import type { Sockets } from './sockets.ts'

/** Bound to no project: sees all of them, for processes that work for all, such as projectors. */
export const ALL_PROJECTS = '*'

/** A pool whose connections are lent to handles, each bound to one project or to all. */
export interface SharedConnections {
  readonly driver: Driver
  /** Settings of each transaction where sessions are shared through a pooler; null where a session keeps its own. */
  readonly perTransaction: readonly string[] | null
  /** What each session is bound to now. */
  readonly bindings: WeakMap<DatabaseConnection, string>
  /** The connections in use now. */
  readonly lent: ReadonlySet<PoolClient>
  readonly sockets: Sockets
  /** Why this process may not query this database any more; null if it may. */
  refusal: Error | null
  /** Called with each error of a query, before its caller has it. */
  readonly onError: (error: unknown) => void
}

/** One statement text that makes all settings, for the session or for the transaction. */
export const setAll = (how: 'set' | 'set local', settings: readonly string[]): string =>
  settings.map((setting) => `${how} ${setting}`).join('; ')

/** Shares a pool's connections among handles. Nothing is bound yet. */
export function shareConnections(
  pool: Pool,
  sockets: Sockets,
  perTransaction: readonly string[] | null,
  onError: SharedConnections['onError'],
): SharedConnections {
  const inUse = new Set<PoolClient>()
  pool.on('acquire', (client) => inUse.add(client))
  pool.on('release', (_, client) => inUse.delete(client))
  pool.on('remove', (client) => inUse.delete(client))
  return {
    driver: new PostgresDriver({ pool }),
    perTransaction,
    bindings: new WeakMap(),
    lent: inUse,
    sockets,
    refusal: null,
    onError,
  }
}

/** What one handle borrows for one query or one transaction. */
interface BoundConnection extends DatabaseConnection {
  readonly session: DatabaseConnection
  /** Whether a transaction is under way. It either set its own binding, or the session had it. */
  inTransaction: boolean
}

const lent = (connection: DatabaseConnection) => connection as BoundConnection

/**
 * A driver that runs every query in a session bound to `project`. The policies of row level security check
 * that binding (`project-scope.ts`). A binding lasts until another handle needs a different one. Changing it
 * costs a round trip, but not at the start of a transaction, which sets it in the same message.
 *
 * Behind a pooler every statement is in a transaction that sets its own: a single one is sent with `begin` and `commit` around it,
 * without waiting in between. If it fails, the server takes `commit` for `rollback`.
 *
 * @param project its id, or `ALL_PROJECTS`
 * @param timeoutMs longest time for a statement, in milliseconds; 0: no limit
 * @param refusable whether `refusal` stops new queries; running ones finish either way
 */
export function boundDriver(
  shared: SharedConnections,
  project: string,
  timeoutMs: number,
  refusable = true,
): Driver {
  const { driver, bindings, perTransaction, onError } = shared
  if (!/^(?:\*|[\da-f-]{36})$/u.test(project)) throw new RangeError(`no project has the id "${project}"`)
  const bound = [`daybook.project = '${project}'`, `statement_timeout = ${timeoutMs}`]
  const binding = bound.join('; ')
  const setLocal = setAll('set local', [...bound, ...(perTransaction ?? [])])

  async function bind(connection: BoundConnection): Promise<void> {
    if (connection.inTransaction || bindings.get(connection.session) === binding) return
    bindings.delete(connection.session)
    await connection.session.executeQuery(CompiledQuery.raw(setAll('set', bound)))
    bindings.set(connection.session, binding)
  }
  async function runAlone<R>(session: DatabaseConnection, query: CompiledQuery): Promise<QueryResult<R>> {
    const begun = session.executeQuery(CompiledQuery.raw(`begin; ${setLocal}`))
    const answered = session.executeQuery<R>(query)
    const ended = session.executeQuery(CompiledQuery.raw('commit'))
    const failed = (await Promise.allSettled([begun, answered, ended])).find(
      (one) => one.status === 'rejected',
    )
    if (failed !== undefined) throw failed.reason
    return answered
  }
  const lend = (session: DatabaseConnection): BoundConnection => {
    const connection: BoundConnection = {
      session,
      inTransaction: false,
      async executeQuery<R>(query: CompiledQuery) {
        try {
          if (perTransaction !== null && !connection.inTransaction) return await runAlone<R>(session, query)
          await bind(connection)
          return await session.executeQuery<R>(query)
        } catch (error) {
          onError(error)
          throw error
        }
      },
      streamQuery() {
        throw new Error('Daybook reads in pages, and streams nothing')
      },
    }
    return connection
  }

  return {
    init: () => driver.init(),
    async acquireConnection() {
      if (refusable && shared.refusal !== null) throw shared.refusal
      return lend(await driver.acquireConnection())
    },
    releaseConnection: (connection) => driver.releaseConnection(lent(connection).session),
    async beginTransaction(connection, settings) {
      const { session } = lent(connection)
      const local = bindings.get(session) === binding ? '' : `; ${setLocal}`
      await session.executeQuery(CompiledQuery.raw(begin(settings) + local))
      lent(connection).inTransaction = true
    },
    async commitTransaction(connection) {
      lent(connection).inTransaction = false
      await driver.commitTransaction(lent(connection).session)
    },
    async rollbackTransaction(connection) {
      lent(connection).inTransaction = false
      await driver.rollbackTransaction(lent(connection).session)
    },
    // The connections belong to the handle that was opened, not to those bound later.
    destroy: async () => {
      if (project === ALL_PROJECTS) await driver.destroy()
    },
  }
}

function begin({ isolationLevel, accessMode }: TransactionSettings): string {
  if (isolationLevel === undefined && accessMode === undefined) return 'begin'
  const level = isolationLevel === undefined ? '' : ` isolation level ${isolationLevel}`
  return `start transaction${level} ${accessMode ?? ''}`
}
