import { Socket } from 'node:net'

/** The sockets of a pool, also of those that are only connecting, which the pool does not show. */
export interface Sockets {
  /** Makes one that is not connected; pg connects it. */
  open(): Socket
  /** Destroys all that are open, and those that are opened later. */
  cut(): void
}

/** None is open yet. */
export function createSockets(): Sockets {
  const sockets = new Set<Socket>()
  let isCut = false
  return {
    open() {
      const socket = new Socket()
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      // Once pg listens to it.
      if (isCut) setImmediate(() => socket.destroy(new Error('connection terminated')))
      return socket
    },
    cut() {
      isCut = true
      for (const socket of sockets) socket.destroy()
    },
  }
}
