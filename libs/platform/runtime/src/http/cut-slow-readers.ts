import type { Server } from 'node:http'
import type { Socket } from 'node:net'

/** A socket that waits for its client, and how far it had come at the last look. */
interface Waiting {
  readonly place: string
  readonly since: number
}

/**
 * Cuts connections whose clients take nothing of what was written for so long: else each holds its answer in memory for as long
 * as it likes. A slow client that reads on is none of them. Node's own socket timeout would not do: whatever
 * the client sends winds it up again, and it counts the time in which we think about an answer.
 *
 * @param sockets the server's, which others may look at
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

/** Changes with every byte that the client takes, also in the middle of one large write, which only the handle can see. */
function placeOf(socket: Socket): string {
  // oxlint-disable-next-line no-underscore-dangle -- Node's own timeout of a socket looks there too; there is no other way
  const handle = (socket as { _handle?: { readonly writeQueueSize?: number } | null })._handle
  return `${socket.bytesWritten} ${socket.writableLength} ${handle?.writeQueueSize ?? ''}`
}
