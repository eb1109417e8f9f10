import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A socket that waits for its client: how much the client had taken, and since when that is unchanged. */
interface Waiting {
  readonly place: string
  readonly since: number
}

/**
 * Cuts connections whose clients read nothing of what was written for `timeoutMs`. Otherwise each could keep
 * its answer in our memory as long as it likes. A client that reads slowly is not cut. Node's own socket
 * timeout does not do this: anything that the client sends resets it, and it counts the time in which we
 * compute an answer.
 *
 * @param sockets the server's open sockets
 */
export function cutSlowReaders(
  server: Server,
  sockets: ReadonlySet<Socket>,
  { timeoutMs, onCut }: { readonly timeoutMs: number; readonly onCut: (socket: Socket) => void },
): void {
  const waiting = new Map<Socket, Waiting>()
  const look = () => {
    const now = performance.now()
    for (const socket of waiting.keys()) if (!sockets.has(socket)) waiting.delete(socket)
    for (const socket of sockets) {
      if (socket.writableLength === 0) waiting.delete(socket)
      else {
        const place = placeOf(socket)
        const before = waiting.get(socket)
        if (before?.place !== place) waiting.set(socket, { place, since: now })
        else if (now - before.since >= timeoutMs) {
          waiting.delete(socket)
          onCut(socket)
          socket.destroy()
        }
      }
    }
  }
  const timer = setInterval(look, Math.max(20, timeoutMs / 8))
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

/** Changes with every byte that the client takes. Only the handle shows progress within one large write. */
export function placeOf(socket: Socket): string {
  // oxlint-disable-next-line no-underscore-dangle -- no other way; Node's own socket timeout does so too
  const handle = (socket as { _handle?: { readonly writeQueueSize?: number } | null })._handle
  return `${socket.bytesWritten} ${socket.writableLength} ${handle?.writeQueueSize ?? ''}`
}
