import { UnavailableError } from '@daybook/memory/errors'
import { DatabaseError } from 'pg'
import { breakConnections, type Database, type DatabaseAddress, sessionsOf, withClient } from './connect.ts'

/** Younger statements end by themselves. In milliseconds. */
const LONG_MS = 1_000
/** How long connecting and asking may take, in milliseconds. */
const CONNECT_MS = 1_500

/**
 * At the end of a process: cancels its long statements on a server. Their callers get an error that says so (57014).
 * Otherwise the server would continue a statement, such as an index build, after its client has gone. Of a server that
 * does not answer, nothing is awaited any more.
 */
export async function endStatements(db: Database, address: DatabaseAddress): Promise<void> {
  try {
    await cancelLongStatements(sessionsOf(db), address)
  } catch (error) {
    // The server does answer, for example that it has no connection left.
    if (error instanceof DatabaseError) throw error
    breakConnections(db, new UnavailableError('the database does not answer, and this process is ending'))
  }
}

async function cancelLongStatements(pids: readonly number[], { connection }: DatabaseAddress): Promise<void> {
  const hasty = { ...connection, connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS }
  await withClient(hasty, (client) =>
    client.query(
      `select pg_cancel_backend(pid) from pg_stat_activity
       where pid = any($1::int[]) and state = 'active' and clock_timestamp() - query_start > make_interval(secs => $2)`,
      [pids, LONG_MS / 1_000],
    ),
  )
}
