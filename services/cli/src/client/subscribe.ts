import { ReadableStream } from 'node:stream/web'
import type { GraphQLDocument, ReadonlyInput } from '@daybook/api/graphql'
import { DaybookClientError } from '@daybook/client/client-error'
import { openSubscription, SILENCE_MS } from '@daybook/client/events/follow-journal'
import { parseAnswer } from '@daybook/client/http/request'
import { RefusedError, UnreachableError } from '../command-line.ts'
import { type Connection, keyHeaders } from '../settings.ts'
import { refusal, unauthorised, unreachable } from './request.ts'

/** The connection ended. The caller can subscribe again on a new one. */
class ConnectionLost extends Error {}

interface Listener<Result> {
  readonly onData: (result: Result) => void
  readonly onConnected: () => void
  readonly signal: AbortSignal
}

/**
 * Runs one subscription on one connection until the signal is aborted. The caller subscribes again where it is lost: it knows
 * the last event that it has seen.
 * @throws ConnectionLost, UnauthorisedError, RefusedError
 */
export async function subscribe<Result, Variables>(
  connection: Connection,
  subscription: GraphQLDocument<Result, Variables>,
  variables: ReadonlyInput<Variables>,
  { onData, onConnected, signal }: Listener<Result>,
): Promise<void> {
  const place = { url: connection.url, headers: keyHeaders(connection), fetch }
  const opened = { signal, silenceMs: SILENCE_MS, onConnected }
  try {
    for await (const data of openSubscription(place, subscription, variables, opened)) onData(data)
  } catch (error) {
    if (signal.aborted) return
    throw error instanceof DaybookClientError ? failureOf(connection, error) : error
  }
  if (!signal.aborted) throw new ConnectionLost()
}

function failureOf(connection: Connection, { code, message, mayHaveArrived }: DaybookClientError): Error {
  if (code === 'UNAUTHENTICATED') return unauthorised(connection)
  // What a proxy says in the place of a daemon that is gone passes with it.
  if (mayHaveArrived || code === 'UNREACHABLE' || code === 'NOT_DAYBOOK') return new ConnectionLost()
  return new RefusedError(code, message)
}

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

/** Whether asking again may help: the daemon is gone for a while, or cannot serve now. */
export const mayComeBack = (error: unknown): boolean =>
  error instanceof ConnectionLost ||
  error instanceof UnreachableError ||
  (error instanceof RefusedError && error.retryable)
