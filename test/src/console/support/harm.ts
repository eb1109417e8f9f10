import { dirname } from 'node:path'
import { SOCKET_PORT, socketPath } from '@daybook/postgres/embedded/host-folder'
import { Client } from 'pg'

/**
 * Changes rows beside a running daemon, in its embedded database, which has one session for all its clients: what is sent in
 * one message runs in one transaction, between those of the daemon.
 * @param statements with values written in, because only a message without parameters is sent at once
 */
export async function harm(dataDir: string, statements: string): Promise<void> {
  const client = new Client({
    host: dirname(socketPath(dataDir)),
    port: SOCKET_PORT,
    user: 'postgres',
    database: 'postgres',
    ssl: false,
  })
  await client.connect()
  try {
    await client.query(
      `begin; set local daybook.project = '*'; set local search_path = daybook, public; ${statements}; commit`,
    )
  } finally {
    await client.end()
  }
}
