import { ReadableStream } from 'node:stream/web'
import { parseAnswer } from '@daybook/client/http/answer'
import { type Connection, keyHeaders } from '../settings.ts'
import { refusal, unauthorised } from './request.ts'
import { unreachable } from './unreachable.ts'

interface Streamed {
  readonly method: 'GET' | 'POST'
  /** It is read no faster than the daemon takes it. */
  readonly body?: AsyncIterable<Uint8Array>
  readonly signal: AbortSignal
}

/**
 * Sends and receives bodies that are too long for memory. It resolves with the answer's body as soon as the
 * answer begins; the request's body may still be on its way.
 * @throws UnreachableError, UnauthorisedError, RefusedError; the signal's reason
 */
export async function openStream(
  connection: Connection,
  path: string,
  { method, body, signal }: Streamed,
): Promise<AsyncIterable<Uint8Array>> {
  const response = await fetch(`${connection.url}${path}`, {
    method,
    // The daemon is usually near: compressing would cost more than it saves.
    headers: { ...keyHeaders(connection), 'accept-encoding': 'identity' },
    ...(body === undefined ? {} : { body: ReadableStream.from(body), duplex: 'half' }),
    signal,
  } as RequestInit).catch((error: unknown) => {
    throw signal.aborted ? error : unreachable(connection, error)
  })
  if (response.status === 200 && response.headers.get('content-type')?.includes('ndjson') === true)
    return explained(connection, response.body ?? new ReadableStream(), signal)
  const answer = parseAnswer(await response.text().catch(() => ''))
  if (response.status === 401) throw unauthorised(connection, answer?.errors?.[0]?.message)
  if (answer?.errors?.[0] !== undefined) throw refusal(answer.errors, response.status)
  throw unreachable(connection, null, `it answered ${path} with HTTP ${response.status}`)
}

/** Passes the chunks on. If the connection breaks, it throws an error that people understand. */
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
