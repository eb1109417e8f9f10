import { type Connection, isCurrent, keyHeaders } from '@daybook/local-daemon/connection'

/** Where requests go that have no address yet: the daemon's may change when it starts again. */
export const ANYWHERE = 'http://daybook.invalid'

/** Sends requests to the daemon, wherever it is now. */
export interface DaemonFetch {
  readonly fetch: typeof fetch
  /** Why the daemon could not be found or started at the last try; null if it could. */
  problem(): unknown
}

/**
 * A `fetch` that outlives the daemon: it finds or starts it for the first request, and again after one that got no answer.
 * All requests that wait for it wait for one start.
 * @param connect finds or starts the daemon
 */
export function daemonFetch(connect: () => Promise<Connection>): DaemonFetch {
  let connecting: Promise<Connection> | null = null
  let problem: unknown = null
  const connected = async (): Promise<Connection> => {
    connecting ??= connect()
    const mine = connecting
    try {
      const connection = await mine
      problem = null
      return connection
    } catch (error) {
      if (connecting === mine) connecting = null
      problem = error
      throw error
    }
  }
  return {
    problem: () => problem,
    async fetch(input, init) {
      let connection = await connected()
      // The daemon has ended since, or has another address. Nothing was sent yet, so this request goes to the next one.
      if (!isCurrent(connection)) {
        connecting = null
        connection = await connected()
      }
      const mine = connecting
      const headers = {
        ...(init?.headers as Record<string, string>),
        ...keyHeaders(connection, 'daybook-mcp'),
      }
      try {
        return await fetch(String(input).replace(ANYWHERE, connection.url), { ...init, headers })
      } catch (error) {
        if (init?.signal?.aborted !== true && connecting === mine) connecting = null
        throw error
      }
    },
  }
}
