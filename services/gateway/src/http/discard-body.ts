import type { IncomingMessage } from 'node:http'

/** How long a client may go on sending what nobody reads, in milliseconds. */
const PATIENCE_MS = 5_000

/**
 * Lets what is left of a request's body go, after its answer. Closing the connection at once would lose the answer where the
 * client is still sending; a client that does not stop is cut off.
 */
export function discardBody(request: IncomingMessage): void {
  request.resume()
  const timer = setTimeout(() => {
    if (!request.complete) request.destroy()
  }, PATIENCE_MS)
  timer.unref()
  request.once('close', () => clearTimeout(timer))
}
