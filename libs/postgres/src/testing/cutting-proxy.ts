import { createServer, connect as dial, type NetConnectOpts, type Socket } from 'node:net'
import type { DatabaseAddress } from '../connect.ts'

/** A way to a database that breaks when a test says so. */
export interface CuttingProxy {
  /** The database, through the proxy. */
  readonly address: DatabaseAddress
  /**
   * Breaks the next connection that commits an append. With `delivered`, after the database has answered, so that its
   * answer is lost; else before the database gets the commit. Resolves once it is broken.
   */
  cutNextCommit(cut: { readonly delivered: boolean }): Promise<void>
  stop(): Promise<void>
}

interface Cut {
  readonly delivered: boolean
  done(): void
}

/**
 * What commits: `commit` as a simple query of Postgres' protocol (a letter, the length, the text and a zero), or
 * the statement that appends to the journal on its own.
 */
const COMMIT = /^Q.{4}commit;?\0$|with moved as \(\s*update journal_heads/isu
/** The server is done with a statement: a letter, the length 5 and the state of the session. */
const READY = Buffer.from('Z\0\0\0\x05', 'latin1')

/**
 * Stands between a test and its database. Nothing else may be connected to an embedded database meanwhile.
 */
export async function startCuttingProxy(address: DatabaseAddress): Promise<CuttingProxy> {
  const target = targetOf(address)
  const open = new Set<Socket>()
  let armed: Cut | null = null

  const server = createServer((client) => {
    const database = dial(target)
    const both = [client, database]
    const breakOff = () => {
      for (const socket of both) {
        open.delete(socket)
        socket.destroy()
      }
    }
    for (const socket of both) {
      open.add(socket)
      socket.on('error', breakOff)
      socket.on('close', breakOff)
    }
    let cut: Cut | null = null
    client.on('data', (data) => {
      if (armed !== null && COMMIT.test(data.toString('latin1'))) {
        cut = armed
        armed = null
        if (!cut.delivered) {
          breakOff()
          return cut.done()
        }
      }
      database.write(data)
    })
    database.on('data', (data) => {
      if (cut === null) return client.write(data)
      if (!data.includes(READY)) return undefined
      breakOff()
      cut.done()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return {
    address: { ...address, connection: through(address, port) },
    cutNextCommit({ delivered }) {
      return new Promise((done) => {
        armed = { delivered, done }
      })
    },
    async stop() {
      for (const socket of open) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function targetOf({ connection }: DatabaseAddress): NetConnectOpts {
  const { host, port } = placeOf(connection)
  return host.startsWith('/') ? { path: `${host}/.s.PGSQL.${port}` } : { host, port }
}

/** Where the database is. A URL can have a socket's folder, percent-encoded, as its host. */
function placeOf({ connectionString, host = '127.0.0.1', port = 5432 }: DatabaseAddress['connection']) {
  if (connectionString === undefined) return { host, port }
  const url = new URL(connectionString)
  return { host: decodeURIComponent(url.hostname), port: Number(url.port || 5432) }
}

function through({ connection }: DatabaseAddress, port: number): DatabaseAddress['connection'] {
  if (connection.connectionString === undefined) return { ...connection, host: '127.0.0.1', port }
  const url = new URL(connection.connectionString)
  url.host = `127.0.0.1:${port}`
  return { ...connection, connectionString: url.href }
}
