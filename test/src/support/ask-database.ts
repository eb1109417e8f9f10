import { dirname } from 'node:path'
import { SOCKET_PORT, socketPath } from '@daybook/postgres/embedded/host-folder'
import { Client, type QueryResult, type QueryResultRow } from 'pg'
import type { TestDaemon } from './daemon.ts'

/** The connection to a running daemon's embedded database. */
export const databaseOf = ({ dataDir }: Pick<TestDaemon, 'dataDir'>) => ({
  host: dirname(socketPath(dataDir)),
  port: SOCKET_PORT,
  user: 'postgres',
  database: 'postgres',
})

/**
 * Asks the embedded database of a running daemon, as the owner of its tables, between the daemon's own statements: it has one session, and the
 * only other way to it is to stop the daemon.
 */
export async function askDatabase<Row extends QueryResultRow>(
  daemon: Pick<TestDaemon, 'dataDir'>,
  statement: string,
): Promise<Row[]> {
  const client = new Client(databaseOf(daemon))
  await client.connect()
  try {
    // In one message, so that the daemon's statements have their own role before and afterwards.
    const results: unknown = await client.query(`begin; set local role none; ${statement}; commit`)
    return (results as QueryResult<Row>[])[2]?.rows ?? []
  } finally {
    await client.end()
  }
}
