import type { IncomingMessage } from 'node:http'

/** How long a client may go on sending a body that nobody reads, in milliseconds. */
const PATIENCE_MS = 5_000

/**
 * Discards the rest of a request's body after the answer. Closing the connection at once could lose the
 * answer while the client is still sending. A client that does not stop is cut off.
 */
export function discardBody(request: IncomingMessage): void {
  request.resume()
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy()
  }, PATIENCE_MS)
  timer.unref()
  request.once('close', () => clearTimeout(timer))
}
