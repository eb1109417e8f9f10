import { ReadableStream } from 'node:stream/web'
import type { Connection } from '../settings.ts'
import { parseAnswer, refusal, unauthorised } from './request.ts'
import { unreachable } from './unreachable.ts'

interface Streamed {
  readonly method: 'GET' | 'POST'
  /** Read as fast as the daemon takes it. */
  readonly body?: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
}

/**
 * Sends and receives what is too long for memory. Resolves with the body of the answer once it begins, while the request's may
 * still be on its way.
 * @throws UnreachableError, UnauthorisedError, RefusedError; the signal's reason
 */
export async function openStream(
  connection: Connection,
  path: string,
  { method, body, signal }: Streamed,
): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(`${connection.url}${path}`, {
    method,
    // The daemon is near most of the time: to compress would cost more than to send.
    headers: { authorization: `Bearer ${connection.apiKey}`, 'accept-encoding': 'identity' },
    ...(body === undefined ? {} : { body: ReadableStream.from(body), duplex: 'half' }),
    signal,
  } as RequestInit).catch((error: unknown) => {
    throw signal.aborted ? error : unreachable(connection, error)
  })
  if (response.status === 200 && response.headers.get('content-type')?.includes('ndjson') === true)
    return explained(connection, response.body ?? new ReadableStream(), signal)
  const answer = parseAnswer(await response.text().catch(() => ''))
  if (response.status === 401) throw unauthorised(connection)
  if (answer?.errors?.[0] !== undefined) throw refusal(answer.errors, response.status)
  throw unreachable(connection, null, `it answered ${path} with HTTP ${response.status}`)
}

/** The same chunks; where the connection breaks, the error says so in words. */
async function* explained(
  connection: Connection,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw signal.aborted ? error : unreachable(connection, error)
  }
}
