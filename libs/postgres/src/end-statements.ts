import { Client } from 'pg'
import { type Database, type DatabaseAddress, sessionsOf } from './connect.ts'

/** Younger statements end by themselves. In milliseconds. */
const LONG_MS = 1_000
/** How long connecting and asking may take, in milliseconds. */
const CONNECT_MS = 1_500

/**
 * Cancels this process's long statements on a server. Their callers get an error that says so (57014).
 * Otherwise the server would continue a statement, such as an index build, after its client has gone.
 */
export async function cancelLongStatements(db: Database, { connection }: DatabaseAddress): Promise<void> {
  const pids = sessionsOf(db)
  if (pids.length === 0) return
  const client = new Client({ ...connection, connectionTimeoutMillis: CONNECT_MS, query_timeout: CONNECT_MS })
  client.on('error', () => {})
  await client.connect()
  try {
    await client.query(
      `select pg_cancel_backend(pid) from pg_stat_activity
       where pid = any($1::int[]) and state = 'active' and clock_timestamp() - query_start > make_interval(secs => $2)`,
      [pids, LONG_MS / 1_000],
    )
  } finally {
    await client.end()
  }
}
