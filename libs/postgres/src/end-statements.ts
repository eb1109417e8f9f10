import { Client } from 'pg'
import { type Database, type DatabaseAddress, sessionsOf } from './connect.ts'

/** A statement that is younger ends by itself. */
const LONG_MS = 1_000
/** How long the server may take to hear of it, in milliseconds. */
const CONNECT_MS = 1_500

/**
 * Cancels this process's long statements on a server: whoever waits for one gets an error that says so (57014), and the server
 * does not go on with what nobody waits for, as it would with an index after its client has gone.
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
