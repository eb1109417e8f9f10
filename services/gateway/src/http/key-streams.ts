import { DaybookError } from '@daybook/memory/errors'

/** Counts the connections that a key holds open: WebSockets, and those with subscriptions over SSE. */
export interface KeyStreams {
  /**
   * Counts a connection until every holder has let go of it. Holding one that counts already costs nothing.
   * @returns lets go; only the first call counts
   * @throws DaybookError TOO_MANY_STREAMS
   */
  hold(keyId: string, connection: object): () => void
}

/** @param perKey how many connections a key may hold open */
export function createKeyStreams(perKey: number): KeyStreams {
  /** The holders of each connection, by key. */
  const keys = new Map<string, Map<object, number>>()
  return {
    hold(keyId, connection) {
      const connections = keys.get(keyId) ?? new Map<object, number>()
      if (!connections.has(connection) && connections.size >= perKey) throw tooMany(perKey)
      keys.set(keyId, connections)
      connections.set(connection, (connections.get(connection) ?? 0) + 1)
      let isHeld = true
      return () => {
        if (!isHeld) return
        isHeld = false
        const holders = (connections.get(connection) ?? 0) - 1
        if (holders > 0) return void connections.set(connection, holders)
        connections.delete(connection)
        if (connections.size === 0) keys.delete(keyId)
      }
    },
  }
}

/** Short enough for the reason of a WebSocket's close, which has 123 bytes. */
const tooMany = (perKey: number) =>
  new DaybookError(
    'TOO_MANY_STREAMS',
    `This key has ${perKey} streams open, the limit (DAYBOOK_STREAMS_PER_KEY): close one, or share one`,
  )
