import type { IncomingMessage } from 'node:http'

/** Milliseconds for the answer to a client that is too slow, before the connection is cut. */
const ANSWER_MS = 1_000

/**
 * Limits the time in which one request's body arrives, because Node's own limit is the same for all requests.
 * What reads a body answers 408 first, where it can; this cuts the connection in any case.
 *
 * @param whileSilent whether only the time counts in which nothing arrives although we would read it: an
 * import is read no faster than it is written
 */
export function limitUpload(
  request: IncomingMessage,
  { timeoutMs, whileSilent }: { readonly timeoutMs: number; readonly whileSilent: boolean },
): void {
  const { socket } = request
  let since = performance.now()
  let arrived = socket.bytesRead
  const look = () => {
    if (request.complete) return clearInterval(timer)
    // What was read but not taken is our own slowness.
    const moved = socket.bytesRead !== arrived || request.readableLength > 0
    if (whileSilent && moved) {
      since = performance.now()
      arrived = socket.bytesRead
    } else if (performance.now() - since >= timeoutMs + (whileSilent ? 0 : ANSWER_MS)) request.destroy()
  }
  const timer = setInterval(look, Math.max(20, Math.min(1_000, timeoutMs / 4)))
  timer.unref()
  request.once('close', () => clearInterval(timer))
}
